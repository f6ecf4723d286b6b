// What a status page says, without its markup.
import type { TestBed } from '../share-test-bed';

/** Of the job in this place. */
export async function readPage(bed: TestBed, place = 'A'): Promise<string> {
  return (await bed.read(`status/${place}.html`))
    .replace(/<(style|title)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}
