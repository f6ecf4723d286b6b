// What the browser's tab says: the verdict first, so that it can be read while another tab is shown.
import { useEffect } from 'preact/hooks';

/** Control and direction signs of a name have no place there. */
function toTitle(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
}

export function useTitle(text: string): void {
  useEffect(() => {
    document.title = toTitle(`${text} · Drawbridge`);
  }, [text]);
}
