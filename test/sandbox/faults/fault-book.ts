/** The ordered faults, how often each has matched and fired, and which one strikes next. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, type FaultAction, type FaultKind, type FaultMatch, strikesRequests } from './fault';

/** One element of a request, as far as faults can tell elements apart. */
export interface RequestItem {
  position: number;
  fileName?: string;
  uploadId?: string;
}

/** Where a fault may strike. */
export interface FaultPlace {
  route: string;
  /** `api`, `auth` or `storage`. */
  origin: string;
  items: readonly RequestItem[];
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface OrderedFault extends Fault {
  id: string;
  matched: number;
  fired: number;
}

/** A fault that fires now. */
export interface Strike<K extends FaultKind = FaultKind> {
  faultId: string;
  action: Extract<FaultAction, { kind: K }>;
}

export class FaultBook {
  private readonly ordered = new Map<string, OrderedFault>();
  private readonly removals = new Map<string, AbortController>();
  private lastId = 0;

  add(fault: Fault): string {
    this.lastId += 1;
    const id = `fault-${this.lastId}`;
    this.ordered.set(id, { ...fault, id, matched: 0, fired: 0 });
    const removal = new AbortController();
    // Any number of requests may be held at one time.
    setMaxListeners(0, removal.signal);
    this.removals.set(id, removal);
    return id;
  }

  list(): OrderedFault[] {
    return [...this.ordered.values()];
  }

  /** Whether such a fault was ordered. */
  remove(id: string): boolean {
    this.removals.get(id)?.abort();
    this.removals.delete(id);
    return this.ordered.delete(id);
  }

  clear(): void {
    for (const id of [...this.ordered.keys()]) this.remove(id);
  }

  /** Holds a request for as long as was ordered, or until the fault is removed. */
  async waitOut({ faultId, action }: Strike<'delay'>): Promise<void> {
    const removal = this.removals.get(faultId);
    if (removal === undefined) return;
    await wait(action.ms, undefined, { signal: removal.signal }).catch((error: unknown) => {
      if (!removal.signal.aborted) throw error;
    });
  }

  /** Whole-request faults: all delays that apply, and the first fault that is none. */
  takeForRequest(place: FaultPlace): { delays: Strike<'delay'>[]; strike: Strike | null } {
    const delays: Strike<'delay'>[] = [];
    let strike: Strike | null = null;
    for (const fault of this.ordered.values()) {
      const { action } = fault;
      if (!strikesRequests(action.kind) || !isAt(fault, place)) continue;
      if (strike !== null && action.kind !== 'delay') continue;
      if (!matchesRequest(fault.match, place) || !this.fires(fault)) continue;
      if (action.kind === 'delay') delays.push({ faultId: fault.id, action });
      else strike = { faultId: fault.id, action };
    }
    return { delays, strike };
  }

  /** The fault of one of these kinds that strikes this item now, or null. */
  takeForItem<K extends FaultKind>(route: string, kinds: readonly K[], item: RequestItem): Strike<K> | null {
    for (const fault of this.ordered.values()) {
      const { action } = fault;
      if (fault.route !== route || !isOneOf(action, kinds)) continue;
      if (matchesItem(fault.match, item) && this.fires(fault)) return { faultId: fault.id, action };
    }
    return null;
  }

  private fires(fault: OrderedFault): boolean {
    fault.matched += 1;
    const nth = fault.match?.nth;
    if (nth !== undefined && fault.matched !== nth) return false;
    if (fault.matched <= fault.skip) return false;
    if (fault.times !== 0 && fault.fired >= fault.times) return false;
    fault.fired += 1;
    return true;
  }
}

function isAt(fault: Fault, place: FaultPlace): boolean {
  return fault.route === place.route || fault.route === `${place.origin}:*`;
}

function isOneOf<K extends FaultKind>(
  action: FaultAction,
  kinds: readonly K[],
): action is Extract<FaultAction, { kind: K }> {
  return (kinds as readonly FaultKind[]).includes(action.kind);
}

function matchesRequest(match: FaultMatch | undefined, place: FaultPlace): boolean {
  if (match === undefined) return true;
  if (match.header !== undefined) {
    const value = place.headers[match.header.name.toLowerCase()];
    if (value === undefined) return false;
    if (match.header.value !== undefined && value !== match.header.value) return false;
  }
  const asksForItem =
    match.fileName !== undefined || match.uploadId !== undefined || match.position !== undefined;
  return !asksForItem || place.items.some(item => matchesItem(match, item));
}

function matchesItem(match: FaultMatch | undefined, item: RequestItem): boolean {
  if (match === undefined) return true;
  if (match.fileName !== undefined && match.fileName !== item.fileName) return false;
  if (match.uploadId !== undefined && match.uploadId !== item.uploadId) return false;
  return match.position === undefined || match.position === item.position;
}
