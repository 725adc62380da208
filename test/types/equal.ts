/** `true` if two types are the same. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile unless `T` is true. */
export type Assert<T extends true> = T;

/** The literal members of an open enum: what an editor completes. */
export type Known<T> = T extends string ? (string extends T ? never : T) : never;
