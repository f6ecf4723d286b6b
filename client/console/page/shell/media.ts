// Whether the window is of a kind, such as narrow: drawn anew when that changes.
import { useEffect, useState } from 'preact/hooks';

export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const tell = () => setFits(media.matches);
    tell();
    media.addEventListener('change', tell);
    return () => media.removeEventListener('change', tell);
  }, [query]);
  return fits;
}
