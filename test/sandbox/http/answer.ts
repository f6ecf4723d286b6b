/** Answers and refusals, in the error format of the specification (section Errors). */

/** What goes back: JSON unless `text` is given. */
export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  text?: { body: string; contentType: string };
}

/** One element of `error.details`. */
export interface ErrorDetail {
  reason_code: string;
  message: string;
  [key: string]: unknown;
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'GONE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** Thrown by handlers before they change anything: the request is answered with an error. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** The envelope of document management. */
export function errorAnswer(status: number, details: readonly ErrorDetail[], message?: string): Answer {
  return {
    status,
    json: {
      error: {
        code: CODES[status] ?? 'ERROR',
        message: message ?? details[0]?.message ?? 'The request was refused',
        details,
      },
    },
  };
}

export function refusal(status: number, reasonCode: string, message: string): Refusal {
  return new Refusal(errorAnswer(status, [{ reason_code: reasonCode, message }]));
}

/** 400 INVALID_PROPERTY; `field` is the path of what was wrong. */
export function invalidProperty(problems: readonly { field: string; message: string }[]): Refusal {
  return new Refusal(
    errorAnswer(
      400,
      problems.map(({ field, message }) => ({
        reason_code: 'INVALID_PROPERTY',
        message: `${field}: ${message}`,
        field,
      })),
    ),
  );
}

/** Errors outside document management have no fixed envelope. */
export function plainError(status: number, message: string): Answer {
  return { status, json: { errors: message } };
}
