// How many documents wait for a person, beside the name of their view.
import { useAsked } from '../shell/asked';
import { ZONE } from '../shell/reader';
import type { Badge } from '../shell/view';

export function useHeldBadge(): Badge | undefined {
  const { data } = useAsked('GET /api/jobs', { query: { state: 'waits', zone: ZONE } }, { topics: ['jobs'] });
  return data === undefined ? undefined : { kind: 'held', count: data.counts.held };
}
