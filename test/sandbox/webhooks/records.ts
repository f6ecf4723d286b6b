/** What the stand-in remembers of webhooks. Plain JSON, ids as text; numbers on the wire. */

/** A hook belongs to a company or to one project of it. */
export type HookOwner =
  | { readonly kind: 'company'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string };

export interface Hook {
  id: string;
  owner: HookOwner;
  userId: number;
  apiVersion: string;
  namespace: string;
  destinationUrl: string;
  destinationHeaders: Record<string, string>;
  /** Kept, so that an id never comes back. */
  deleted: boolean;
}

export interface Trigger {
  id: string;
  hookId: string;
  apiVersion: string;
  resourceName: string;
  eventType: 'create' | 'update' | 'delete';
  userId: number;
  deleted: boolean;
}

/** One attempt to bring an event to a hook's destination. */
export interface Delivery {
  id: string;
  hookId: string;
  event: Record<string, unknown>;
  outcome: 'ok' | 'retried' | 'failed' | 'discarded';
  startedAt: number;
  completedAt: number;
  responseStatus: number | null;
  responseError: string | null;
  responseBody: string | null;
}
