// A document whose required values nobody gives: what people read about it.
import type { Reason } from '../../contract';

/** Why required values are missing, and what to do, for a document that is held or set apart for it. */
export function explainMissing(labels: readonly string[]): Reason & { readonly code: 'missing-values' } {
  const list = labels.map(label => `"${label}"`).join(', ');
  return {
    code: 'missing-values',
    text: `The project requires ${list}, and nothing gives ${labels.length > 1 ? 'these values' : 'this value'}.`,
    fix: `Give ${list} and drop the file again, or answer the held document.`,
  };
}
