// What the views of operations are given.
import type { Answer } from '../../shell/api';

export type Operations = Answer<'GET /api/operations'>;
