// An authentication host with state: refresh tokens work once, and every use is written down.
import type { ServerResponse } from 'node:http';
import { json, raw, ScriptedService, type SeenRequest } from '../scripted-service';

export type TokenFault =
  /** The exchange happens, its answer does not arrive. */
  | 'lose-answer'
  /** The connection is cut before anything happens. */
  | 'cut'
  | 'unavailable'
  | 'unavailable-with-date'
  | 'bad-gateway'
  | 'html'
  | 'invalid-client'
  | 'hang'
  /** This answer, as JSON or, when it is a text, as that. */
  | { readonly status: number; readonly body: unknown };

export class FakeAuthServer {
  readonly #service = new ScriptedService();
  readonly #valid = new Set<string>();
  #count = 0;
  /** Uses of each refresh token, burnt or not. */
  readonly sends = new Map<string, number>();
  /** Faults for the coming token requests, in order; empty: none. */
  readonly faults: TokenFault[] = [];
  expiresIn: number | undefined = 5_400;
  exchanges = 0;
  infoCalls = 0;
  /** Called after an exchange took effect, before it is answered. */
  beforeAnswer: () => void | Promise<void> = () => undefined;

  async listen(): Promise<void> {
    this.#service.answer((request, response, message) => {
      if (request.url === '/oauth/token/info') {
        this.infoCalls += 1;
        return json(response, 401, { error: 'invalid_token' });
      }
      return this.#token(request, response, () => message.socket.resetAndDestroy());
    });
    await this.#service.listen();
  }

  get url(): string {
    return this.#service.url;
  }

  get seen(): readonly SeenRequest[] {
    return this.#service.seen;
  }

  /** A refresh token of a new login. */
  login(): string {
    return this.#mint();
  }

  /** The refresh tokens that would work now. */
  get valid(): readonly string[] {
    return [...this.#valid];
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  async #token(request: SeenRequest, response: ServerResponse, cut: () => void): Promise<void> {
    const form = new URLSearchParams(request.body);
    const refreshToken = form.get('refresh_token');
    const fault = this.faults.shift();
    if (fault === 'cut') return cut();
    if (refreshToken !== null) this.sends.set(refreshToken, (this.sends.get(refreshToken) ?? 0) + 1);
    if (typeof fault === 'object') {
      if (typeof fault.body === 'string') {
        return raw(response, fault.status, fault.body, { 'content-type': 'text/plain' });
      }
      return json(response, fault.status, fault.body);
    }
    if (fault === 'unavailable') return json(response, 503, {}, { 'retry-after': '0' });
    if (fault === 'unavailable-with-date') {
      return json(response, 503, {}, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
    }
    if (fault === 'bad-gateway') return raw(response, 502, '<html>', { 'content-type': 'text/html' });
    if (fault === 'html') return raw(response, 200, '<html>', { 'content-type': 'text/html' });
    if (fault === 'invalid-client') return json(response, 401, { error: 'invalid_client' });
    if (fault === 'hang') return;
    const grant = form.get('grant_type');
    const isGranted =
      grant === 'client_credentials' ||
      (grant === 'authorization_code' && form.get('code') === 'good-code') ||
      (refreshToken !== null && this.#valid.delete(refreshToken));
    if (!isGranted) return json(response, 401, { error: 'invalid_grant', error_description: 'no' });
    this.exchanges += 1;
    const answer = {
      access_token: `canary-access-${this.exchanges}`,
      token_type: 'bearer',
      created_at: Math.floor(Date.now() / 1_000),
      ...(this.expiresIn === undefined ? {} : { expires_in: this.expiresIn }),
      ...(grant === 'client_credentials' ? {} : { refresh_token: this.#mint() }),
    };
    await this.beforeAnswer();
    if (fault === 'lose-answer') return cut();
    json(response, 200, answer);
  }

  #mint(): string {
    this.#count += 1;
    const token = `canary-refresh-${this.#count}`;
    this.#valid.add(token);
    return token;
  }
}
