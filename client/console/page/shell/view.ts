// What a view is. Each stands in a folder of its own below views/ and in the list views/index.ts.
import type { ComponentType } from 'preact';
import type { Params } from './address';

/** The names in the top bar, in this order. */
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
  /** Which name of the top bar it belongs to; without one it is reached by links alone. */
  readonly place?: Place;
  readonly Show: ComponentType<{ readonly params: Params }>;
  /** A hook, so it may ask the server. Where several views of a place have one, the first is used. */
  readonly useBadge?: () => Badge | undefined;
}
