// How often each value stands in the documents of a job that do not wait: what people most often mean. Pure.
import type { WaitingPage } from '../contract/waiting';
import type { PresentValue } from './present-values';

export interface JobManifest {
  readonly share: string;
  readonly job: string;
  readonly documents: readonly (readonly PresentValue[])[];
}

const MOST_OF_A_FIELD = 10;

export function countUsed(manifests: readonly JobManifest[]): WaitingPage['used'] {
  const counts = new Map<string, WaitingPage['used'][number]>();
  for (const { share, job, documents } of manifests) {
    for (const { field, text } of documents.flat()) {
      const key = JSON.stringify([share, job, field, text]);
      const known = counts.get(key);
      counts.set(key, { share, job, field, text, rows: (known?.rows ?? 0) + 1 });
    }
  }
  const taken = new Map<string, number>();
  return [...counts.values()]
    .sort((one, other) => other.rows - one.rows)
    .filter(({ share, job, field, rows }) => {
      const key = JSON.stringify([share, job, field]);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      // What stands once is no habit.
      return rows > 1 && (taken.get(key) ?? 0) <= MOST_OF_A_FIELD;
    });
}
