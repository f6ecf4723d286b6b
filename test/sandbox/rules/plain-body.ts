/** Bodies of the resources outside document management: refused with 400 and `{errors: {path: [text]}}`. */
import type { z } from 'zod';
import { Refusal } from '../http/answer';

/** The body as the schema says, or 400 with every fault by its path. */
export function checkPlainBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors: Record<string, string[]> = {};
  for (const issue of result.error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [''];
    for (const key of keys) {
      const path = [...issue.path.map(String), ...(key === '' ? [] : [key])].join('.') || 'body';
      errors[path] = [...(errors[path] ?? []), key === '' ? issue.message : 'unknown property'];
    }
  }
  throw new Refusal({ status: 400, json: { errors } });
}
