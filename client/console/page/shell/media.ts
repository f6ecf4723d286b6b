// Whether a media query fits the window, such as that for a narrow one: drawn anew when that changes.
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
