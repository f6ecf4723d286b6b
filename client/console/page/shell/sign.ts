// What is away and whether somebody must act, as every view shows it: asked once for all of them.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Answer } from './api';
import { useAsked } from './asked';
import { texts } from './texts';

type Sign = Answer<'GET /api/operations/sign'>;

export const sign = signal<Sign | undefined>(undefined);

/** To be called once, by the frame around all views. */
export function useSign(): void {
  const { data } = useAsked('GET /api/operations/sign', {}, { topics: ['operations'] });
  useEffect(() => {
    sign.value = data;
  }, [data]);
}

/** "The document service" or "Share tender". */
export function nameOfPart({ kind, share }: Pick<Sign['away'][number], 'kind' | 'share'>): string {
  return kind === 'share' ? texts.operations.share(share ?? '') : texts.operations.theKinds[kind];
}
