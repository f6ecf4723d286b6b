// What a view is. Each stands in a folder of its own below views/ and in the list views/index.ts.
import type { ComponentType } from 'preact';
import type { Params } from './address';

/** In the top bar, in this order. */
export const PLACES = ['jobs', 'waiting', 'apart', 'drop', 'operations'] as const;
export type Place = (typeof PLACES)[number];

/** A number beside its name in the top bar, or a sign that something is wrong. */
export interface Badge {
  readonly kind: 'held' | 'apart' | 'away';
  readonly count?: number;
}

export interface View {
  /** `/jobs/:share/:job`; the first that fits is shown. Several addresses of one view keep it mounted. */
  readonly paths: readonly string[];
  /** Under which name of the top bar it stands. */
  readonly place?: Place;
  readonly Show: ComponentType<{ readonly params: Params }>;
  /** A hook: may ask the server. For the first view of a place. */
  readonly useBadge?: () => Badge | undefined;
}
