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

/** Whether the person looks at this view, and not at another one. */
export function isAtDrop(): boolean {
  return /^\/(?:drop|tests)(?:\/|$)/.test(address.value.path);
}

/** Has the address tell what the view shows; the view stays. */
export function showAddress(kind: keyof typeof PATHS, linked: Linked): void {
  if (isAtDrop()) navigate(addressOf(kind, linked), { replace: true });
}

/** Goes back to the view's own address, if this one is shown: what stood there is over. */
export function leaveAddress(kind: keyof typeof PATHS, linked: Linked): void {
  if (address.value.path === addressOf(kind, linked)) navigate('/drop', { replace: true });
}
