/** The control port from the outside: what tests and people use. */
import { request } from 'undici';
import type {
  Outages,
  ProjectEdit,
  SandboxFile,
  SandboxLogin,
  SandboxRevision,
  SandboxTokens,
  SandboxUpload,
} from './control/protocol';
import type { FaultOrder } from './faults/fault';
import type { OrderedFault } from './faults/fault-book';
import type { Operation } from './operation-log';
import type { SandboxSettings } from './settings';
import type { DeliveryOrder } from './webhooks/deliver';
import type { Delivery } from './webhooks/records';

export type {
  Outages,
  ProjectEdit,
  SandboxFile,
  SandboxLogin,
  SandboxRevision,
  SandboxTokens,
  SandboxUpload,
} from './control/protocol';
export type { FaultAction, FaultOrder } from './faults/fault';
export type { OrderedFault } from './faults/fault-book';
export type { Operation } from './operation-log';

/** Every method throws with the control port's own words when it is refused. */
export class SandboxControl {
  private readonly url: string;

  constructor(controlUrl: string) {
    this.url = controlUrl;
  }

  settings(): Promise<SandboxSettings> {
    return this.send('GET', '/settings');
  }

  /** The settings as they are then. */
  configure(settings: Partial<SandboxSettings>): Promise<SandboxSettings> {
    return this.send('PATCH', '/settings', settings);
  }

  /** The fault's id. Refused when it could never fire. */
  async addFault(fault: FaultOrder): Promise<string> {
    return (await this.send<{ id: string }>('POST', '/faults', fault)).id;
  }

  /** With how often each matched and fired. */
  faults(): Promise<OrderedFault[]> {
    return this.send('GET', '/faults');
  }

  async removeFault(id: string): Promise<void> {
    await this.send('DELETE', `/faults/${id}`);
  }

  async clearFaults(): Promise<void> {
    await this.send('DELETE', '/faults');
  }

  /** Requests by route key, whatever became of them. */
  async requests(): Promise<Record<string, number>> {
    const sums = Object.entries(await this.answers()).map(([route, byStatus]): [string, number] => [
      route,
      Object.values(byStatus).reduce((sum, count) => sum + count, 0),
    ]);
    return Object.fromEntries(sums);
  }

  /** Requests by route key and status; 'none' when no whole answer went out. */
  answers(): Promise<Record<string, Record<string, number>>> {
    return this.send('GET', '/requests');
  }

  /** The log after `sinceSeq`, oldest first; the control port's own pages are followed to the end. */
  async operations(sinceSeq = 0): Promise<Operation[]> {
    const all: Operation[] = [];
    for (let since = sinceSeq; ; ) {
      const page = await this.send<Operation[]>('GET', `/operations?since=${since}`);
      all.push(...page);
      const last = page.at(-1);
      if (last === undefined) return all;
      since = last.seq;
    }
  }

  /** What a correct client would not have done; `what` names it. */
  violations(): Promise<Operation[]> {
    return this.send('GET', '/violations');
  }

  /** What finally exists. */
  revisions(): Promise<SandboxRevision[]> {
    return this.send('GET', '/revisions');
  }

  uploads(): Promise<SandboxUpload[]> {
    return this.send('GET', '/uploads');
  }

  files(): Promise<SandboxFile[]> {
    return this.send('GET', '/files');
  }

  tokens(): Promise<SandboxTokens> {
    return this.send('GET', '/tokens');
  }

  /** Tokens of a signed-in user, without a browser. */
  login(): Promise<SandboxLogin> {
    return this.send('POST', '/tokens/login');
  }

  /** Every access token ends now; refresh tokens stay. */
  async expireTokens(): Promise<void> {
    await this.send('POST', '/tokens/expire');
  }

  /** Ends one login, or all. */
  async revokeTokens(loginId?: string): Promise<void> {
    await this.send('POST', '/tokens/revoke', loginId === undefined ? {} : { loginId });
  }

  /** Sends hosts away or brings them back; those not named stay as they are. */
  async setOutages(outages: Outages): Promise<void> {
    await this.send('PATCH', '/outages', outages);
  }

  /** What a person or an administrator does in the web interface. */
  async edit(projectId: string, edit: ProjectEdit): Promise<void> {
    await this.send('POST', `/projects/${encodeURIComponent(projectId)}/edits`, edit);
  }

  /** Brings an event to a hook's destination once, or only records that it was. */
  deliver(hookId: string, order: DeliveryOrder): Promise<Delivery> {
    return this.send('POST', `/hooks/${encodeURIComponent(hookId)}/deliveries`, order);
  }

  /** Default content, the settings of the start, no tokens, no faults, empty log. Outages stay. */
  async reset(): Promise<void> {
    await this.send('POST', '/reset');
  }

  private async send<T = unknown>(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<T> {
    const { statusCode, body: answer } = await request(`${this.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const json = (await answer.json()) as T & { error?: string };
    if (statusCode !== 200) throw new Error(`control port, ${method} ${path}: ${json.error ?? statusCode}`);
    return json;
  }
}
