/**
 * The accounts, ids and ports the stand-in service starts with.
 * They are public on purpose: nothing of a real deployment is in here.
 */

/** The OAuth application that may ask for tokens. */
export const DEFAULT_CREDENTIALS = {
  clientId: 'sandbox-client',
  clientSecret: 'sandbox-secret-not-for-production',
} as const;

/** The one company; the value of the header Service-Company-Id. */
export const DEFAULT_COMPANY_ID = '5001';

/** Header that every API call must carry (specification, General rules 4). */
export const COMPANY_HEADER = 'Service-Company-Id';

/** The projects by what is special about them. */
export const DEFAULT_PROJECTS = {
  /** Values come from the client and from the analysis. */
  plain: '7001',
  /** A naming standard fills originator, type, number and name from the file name. */
  namingStandard: '7002',
  /** Its naming standard configuration is missing: Step 4 answers 404 NOT_FOUND. */
  unconfigured: '7003',
} as const;

/** User ids: who a token belongs to, and who acts in the web interface. */
export const DEFAULT_USERS = {
  /** Owner of tokens from client_credentials. */
  serviceAccount: 9900,
  /** Owner of tokens from authorization_code and refresh_token. */
  signedIn: 9001,
  /** The person whose edits the control port plays. */
  colleague: 9002,
} as const;

/** Ports of `npm run sandbox`; `startSandbox` takes free ones unless told. */
export const DEFAULT_PORTS = { api: 7410, auth: 7411, storage: 7412, control: 7413 } as const;
