// What people are told instead of an answer, whatever went wrong.
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Logger } from '../../../workers/logging';
import type { Problem } from '../contract/common';
import { ConsoleProblem } from './module';

export const WORDS: Readonly<Record<number, string>> = {
  400: 'This cannot be read.',
  404: 'There is nothing here.',
  405: 'This cannot be done here.',
  408: 'This took too long to arrive.',
  413: 'This is too much at once.',
  414: 'This address is too long.',
  415: 'This kind of content is not taken here.',
};

/** What is told, and under which status. What nobody expected is logged with the reference that is shown. */
export function toProblem(
  error: unknown,
  asked: string,
  logger: Pick<Logger, 'error'>,
): { readonly status: number; readonly problem: Problem } {
  if (error instanceof ConsoleProblem) {
    const { status, message: text, faults } = error;
    return { status, problem: { text, ...(faults.length === 0 ? {} : { faults: [...faults] }) } };
  }
  const { statusCode: status } = error as { readonly statusCode?: unknown };
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, problem: { text: WORDS[status] ?? 'This cannot be done.' } };
  const reference = randomBytes(4).toString('hex');
  logger.error({ event: 'console-failed', asked, reference, error }, 'The page could not be answered');
  return {
    status: 500,
    problem: { text: 'This did not work. Nothing was changed that is not shown.', reference },
  };
}

/** @throws ConsoleProblem 400 with all that is wrong at once. */
export function requireShape<Type extends z.ZodType>(shape: Type, value: unknown): z.output<Type> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? { text: message } : { at: path.map(String).join('.'), text: message },
  );
  throw new ConsoleProblem(400, 'This was not asked as it should be.', faults);
}
