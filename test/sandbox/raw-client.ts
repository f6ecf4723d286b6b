/** Speaks to the stand-in by plain HTTP, for its own tests: no client of the product is involved. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'undici';
import { SandboxControl } from './control';
import { COMPANY_HEADER, DEFAULT_COMPANY_ID, DEFAULT_CREDENTIALS, DEFAULT_PROJECTS } from './defaults';
import { type Sandbox, type SandboxOptions, startSandbox } from './server';

/** An answer as it came; `json` is whatever the body says. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  json: any;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Settings that keep tests fast and repeatable: no limits, a fast clock, a scan of 20 real milliseconds. */
const FAST: SandboxOptions = { settings: { limits: null, timeScale: 1000, scanMs: 20_000 } };

/** Only what never holds is to fail: a busy machine takes its time. */
const PATIENCE_MS = 60_000;

/** The code of a connection that ended without an answer: who was writing is told in another way. */
export const ENDED = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

export const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** Sends one request and reads the whole answer. */
export async function send(
  method: Method,
  url: string,
  init: { headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const answer = await request(url, { method, ...init });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, json: parse(text) };
}

/** A running stand-in with a service account's token. */
export class RawClient {
  readonly sandbox: Sandbox;
  readonly control: SandboxControl;
  token = '';
  project: string = DEFAULT_PROJECTS.plain;
  private readonly fields = new Map<string, { id: string }>();

  private constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
    this.control = new SandboxControl(sandbox.controlUrl);
  }

  static async start(options: SandboxOptions = FAST): Promise<RawClient> {
    const client = new RawClient(await startSandbox(options));
    await client.signIn();
    return client;
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  async signIn(): Promise<RawAnswer> {
    const answer = await this.form('/oauth/token', { grant_type: 'client_credentials' });
    this.token = answer.json?.access_token ?? '';
    return answer;
  }

  /**
   * A form for the authentication origin, with the application's credentials unless `fields` says otherwise.
   */
  form(path: string, fields: Record<string, string>): Promise<RawAnswer> {
    const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      ...fields,
    }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return send('POST', `${this.sandbox.authUrl}${path}`, { headers, body });
  }

  api(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawAnswer> {
    return send(method, `${this.sandbox.apiUrl}${path}`, {
      headers: {
        authorization: `Bearer ${this.token}`,
        [COMPANY_HEADER]: DEFAULT_COMPANY_ID,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** A path below the project's document management. */
  dm(path: string, version = '2.0'): string {
    return `/rest/v${version}/companies/${DEFAULT_COMPANY_ID}/projects/${this.project}/document_management${path}`;
  }

  /** A path of the project's file uploads. */
  filePath(id = ''): string {
    return `/rest/v2.1/companies/${DEFAULT_COMPANY_ID}/projects/${this.project}/uploads${id === '' ? '' : `/${id}`}`;
  }

  /** Step 4; the ids in request order. */
  async createUploads(...names: string[]): Promise<string[]> {
    const uploads = names.map(name => ({ file_name: name, mime_type: mimeOf(name) }));
    const answer = await this.api('POST', this.dm('/document_uploads'), { uploads });
    expect(answer.status).toBe(201);
    return answer.json.data.map(({ id }: { id: string }) => id);
  }

  /** Opens a file upload session; segments as given, or one. */
  openFile(fileName: string, bytes: Buffer, segments: readonly Buffer[] = [bytes]): Promise<RawAnswer> {
    return this.api('POST', this.filePath(), {
      file_name: fileName,
      file_size: bytes.length,
      content_type: mimeOf(fileName),
      sha256: sha256(bytes),
      segments: segments.map(segment => ({ size: segment.length, sha256: sha256(segment) })),
    });
  }

  /** All of Step 5: the id of a file that is available. */
  async sendFile(fileName: string, bytes: Buffer = Buffer.from(`bytes of ${fileName}`)): Promise<string> {
    const opened = await this.openFile(fileName, bytes);
    expect(opened.status).toBe(201);
    const { upload_id: id, segments } = opened.json.data;
    const put = await send('PUT', segments[0].url, { headers: segments[0].headers, body: bytes });
    expect(put.status).toBe(200);
    const etag = String(put.headers.etag).replaceAll('"', '');
    await this.api('PATCH', this.filePath(id), { part_etags: [etag] });
    await this.until(async () => (await this.api('GET', this.filePath(id))).json.data.status === 'available');
    return id;
  }

  /** Step 6. */
  patch(items: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): Promise<RawAnswer> {
    return this.api('PATCH', this.dm('/document_uploads'), { update_params: items, ...more });
  }

  /** Steps 4 to 6: a COMPLETED upload with these field values (name to value ids or texts). */
  async completeUpload(
    fileName: string,
    fields: Record<string, string[]> = {},
    bytes?: Buffer,
  ): Promise<string> {
    const [id = ''] = await this.createUploads(fileName);
    const file = await this.sendFile(fileName, bytes);
    const values = await Promise.all(
      Object.entries(fields).map(async ([name, given]) => ({ id: await this.fieldId(name), values: given })),
    );
    const answer = await this.patch([
      { id, file_upload_id: file, upload_status: 'COMPLETED', fields: values },
    ]);
    expect(answer.json.data.success).toEqual([{ id }]);
    return id;
  }

  /** A COMPLETED upload that nothing is missing from. */
  async readyUpload(
    fileName: string,
    fields: Record<string, string[]> = {},
    bytes?: Buffer,
  ): Promise<string> {
    return this.completeUpload(
      fileName,
      {
        name: [fileName],
        type: [await this.valueId('type', 'DOC')],
        status: [await this.valueId('status', 'S1')],
        revision: ['A'],
        ...fields,
      },
      bytes,
    );
  }

  show(id: string): Promise<RawAnswer> {
    return this.api('GET', this.dm(`/document_uploads/${id}`));
  }

  /** Step 8 with the event ids as they are now, unless an item brings its own. */
  async submit(...items: ({ id: string } & Record<string, unknown>)[]): Promise<RawAnswer> {
    const uploads = await Promise.all(
      items.map(async item => ({
        upload_latest_event_id: (await this.show(item.id)).json?.data?.latest_event_id ?? 'none',
        ...item,
      })),
    );
    return this.api('POST', this.dm('/document_revisions', '2.1'), { uploads });
  }

  async fieldId(name: string): Promise<string> {
    const key = `${this.project}/${name}`;
    const known = this.fields.get(key);
    if (known !== undefined) return known.id;
    const answer = await this.api('GET', this.dm('/fields?per_page=100'));
    for (const field of answer.json.data) this.fields.set(`${this.project}/${field.name}`, field);
    return this.fields.get(key)?.id ?? '';
  }

  async valueId(field: string, code: string): Promise<string> {
    for (let page = 1; ; page++) {
      const answer = await this.api('GET', this.dm(`/fields/${field}/values?per_page=100&page=${page}`));
      const found = answer.json.data.find((value: { code: string }) => value.code === code);
      if (found !== undefined) return found.id;
      if (!String(answer.headers.link).includes('rel="next"')) return '';
    }
  }

  /** Asks until it holds; the clock of the stand-in decides when. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (Date.now() > giveUpAt) throw new Error('it never held');
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }
}

function mimeOf(name: string): string {
  return name.endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
