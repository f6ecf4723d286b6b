// An id that nobody else has.
const ID_BYTES = 10;

export function drawId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
