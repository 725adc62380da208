/** The input cannot be imported; the message is a sentence for the user. */
export class Refused extends Error {}
