/** Returns the extension for Visual Studio Code: the bytes of a .vsix file, and its name. */
export function buildExtension(): Promise<{ readonly name: string; readonly bytes: Uint8Array }>;
