/** Whether a text is an id of the service. On the wire ids are numbers: one that JSON would round is none. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}
