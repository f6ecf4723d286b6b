// To the clipboard, and the person is told.
import { announceNow } from '../shell/announce';
import { texts } from '../shell/texts';

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announceNow(texts.common.copied);
  } catch {
    announceNow(texts.common.copyFailed);
  }
}
