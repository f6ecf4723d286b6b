// Whether an item that is there can be the one that we have asked for.
import { isSameText } from '../../workflows/run/decide/same-text';
import type { Observation, ObservationFields } from '../service/endpoints/observations';

/**
 * By type, name and description, and by whatever else was asked for and the item shows. What was not asked
 * for the service may have set by itself: it tells nothing.
 */
export function canBeSameItem(
  item: Pick<
    Observation,
    | 'name'
    | 'typeId'
    | 'description'
    | 'isDeleted'
    | 'locationId'
    | 'assigneeId'
    | 'dueDate'
    | 'tradeId'
    | 'priority'
    | 'number'
  >,
  asked: ObservationFields,
): boolean {
  const values: readonly (readonly [shown: string | null | undefined, asked: string | undefined])[] = [
    [item.locationId, asked.locationId],
    [item.assigneeId, asked.assigneeId],
    [item.dueDate?.slice(0, '2026-01-31'.length) ?? item.dueDate, asked.dueDate],
    [item.tradeId, asked.tradeId],
    [item.priority?.toLowerCase(), asked.priority?.toLowerCase()],
    [item.number ?? undefined, asked.number],
  ];
  return (
    !item.isDeleted &&
    isSameText(item.name, asked.name) &&
    item.typeId === asked.typeId &&
    isSameText(item.description ?? '', asked.description ?? '') &&
    values.every(([shown, wanted]) => shown === undefined || wanted === undefined || shown === wanted)
  );
}
