// The description of the API for programs, made from the contract that the server itself checks by.
import { z } from 'zod';
import { problemShape } from '../contract/common';
import type { Route, Routes } from '../contract/route';

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1. */
export function toOpenApi(routes: Routes, version: string, prefix: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [key, route] of Object.entries(routes)) {
    const [method = '', path = ''] = key.split(' ');
    const named = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[named] = { ...paths[named], [method.toLowerCase()]: toOperation(route, method) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Drawbridge',
      version,
      description: 'What the page asks. GET /api/live tells of changes.',
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    paths,
    components: { schemas: { Problem: toSchema(problemShape, 'output') } },
  };
}

function toOperation(route: Route, method: string): Json {
  const parameters = [...toParameters(route.params, 'path'), ...toParameters(route.query, 'query')];
  const token = {
    name: 'x-drawbridge-csrf',
    in: 'header',
    required: true,
    description: '`csrf` of GET /api/me',
    schema: { type: 'string' },
  };
  return {
    summary: route.summary,
    description: route.role === 'anyone' ? 'Without signing in, too.' : `Needs the role "${route.role}".`,
    parameters: method === 'GET' ? parameters : [...parameters, token],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: toContent(route.body, 'input') } }),
    responses: {
      200: { description: 'What was asked for', content: toContent(route.answer, 'output') },
      default: {
        description: 'What people are told instead',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function toParameters(shape: z.ZodType | undefined, place: 'path' | 'query'): readonly Json[] {
  if (shape === undefined) return [];
  const { properties = {}, required = [] } = toSchema(shape, 'input') as {
    readonly properties?: Json;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
  }));
}

function toContent(shape: z.ZodType, io: 'input' | 'output'): Json {
  return { 'application/json': { schema: toSchema(shape, io) } };
}

function toSchema(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  return schema;
}
