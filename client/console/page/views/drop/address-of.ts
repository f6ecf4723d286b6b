// The addresses of an upload and of its test run: reloaded, or sent to a colleague, they show the same.
import { fillPath } from '../../shell/address';
import { address, navigate } from '../../shell/router';

export interface Linked {
  readonly share: string;
  readonly upload: string;
}

const PATHS = { drop: '/drop/:share/:upload', tests: '/tests/:share/:upload' } as const;

export function addressOf(kind: keyof typeof PATHS, { share, upload }: Linked): string {
  return fillPath(PATHS[kind], { share, upload });
}

/** Somebody looks at what they drop, and not at another view. */
export function isAtDrop(): boolean {
  return /^\/(?:drop|tests)(?:\/|$)/.test(address.value.path);
}

/** The view stays; its address tells what it shows. */
export function showAddress(kind: keyof typeof PATHS, linked: Linked): void {
  if (isAtDrop()) navigate(addressOf(kind, linked), { replace: true });
}

/** It is nothing of its own any more. */
export function leaveAddress(kind: keyof typeof PATHS, linked: Linked): void {
  if (address.value.path === addressOf(kind, linked)) navigate('/drop', { replace: true });
}
