// What people are told instead of an answer, whatever went wrong.
import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Logger } from '../../../workers/logging';
import type { Problem } from '../contract/common';
import { texts } from '../texts/texts';
import { ConsoleProblem } from './module';

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
    return { status, problem: { text: texts.asked.refused[status] ?? texts.asked.refusedOtherwise } };
  const reference = randomBytes(4).toString('hex');
  logger.error({ event: 'console-failed', asked, reference, error }, 'The page could not be answered');
  return {
    status: 500,
    problem: { text: texts.asked.failed, reference },
  };
}

/** @throws ConsoleProblem 400 with all that is wrong at once. */
export function requireShape<Type extends z.ZodType>(shape: Type, value: unknown): z.output<Type> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? { text: message } : { at: path.map(String).join('.'), text: message },
  );
  throw new ConsoleProblem(400, texts.asked.notAsItShouldBe, faults);
}
