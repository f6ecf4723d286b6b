// What a route of the page's API is: its shapes, and who may ask. The server checks by these values, the page
// takes its types from them, and the OpenAPI document is made from them.
import type { z } from 'zod';

/** What a person may do with a share: each includes those before it. */
export type Role = 'see' | 'answer' | 'operate';

export interface Route {
  /** `anyone`: also who has not signed in. */
  readonly role: Role | 'anyone';
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Of the `:names` in the path, and of the query: texts, as they come. */
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Most bytes that a body may have, where the usual megabyte is too little. */
  readonly bodyBytes?: number;
  readonly answer: z.ZodType;
}

export type RouteKey = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /api/${string}`;

/** `GET /api/jobs/:share/:job` to its route. */
export type Routes = Readonly<Record<RouteKey, Route>>;

type Shape<Type> = Type extends z.ZodType ? z.output<Type> : undefined;
type GivenShape<Type> = Type extends z.ZodType ? z.input<Type> : undefined;

/** What a handler gets, checked. */
export interface Asked<One extends Route> {
  readonly params: Shape<One['params']>;
  readonly query: Shape<One['query']>;
  readonly body: Shape<One['body']>;
}

/** What the page gives. */
export interface Given<One extends Route> {
  readonly params?: GivenShape<One['params']>;
  readonly query?: GivenShape<One['query']>;
  readonly body?: GivenShape<One['body']>;
}

export type AnswerOf<One extends Route> = z.output<One['answer']>;
