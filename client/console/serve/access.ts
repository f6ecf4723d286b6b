// What the server asks of whatever signs people in.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Me } from '../contract/session';
import type { Person } from './module';

/** Somebody who may ask. */
export interface Visitor {
  readonly person: Person;
  /** What the token against cross-site requests is bound to: the session, or the name where there is none. */
  readonly session: string;
}

/** Who asks, for whatever answers. */
export interface Visitors {
  /** Undefined: nobody is signed in. */
  visitorOf(request: FastifyRequest): Visitor | undefined;
}

/** In and out by the page itself, as far as the way of signing in has that. */
export interface SignIn {
  readonly signIn: Me['signIn'];
  /** With a name and a password. @throws ConsoleProblem 401. */
  readonly enter?: (request: FastifyRequest, reply: FastifyReply, given: Given) => Promise<Visitor>;
  readonly leave?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** A whole way of signing in, as the server takes it. */
export interface Access extends Visitors, SignIn {
  /** Adds routes of its own, such as the one that a sign-in elsewhere comes back to. */
  readonly extend?: (server: FastifyInstance) => void;
  readonly close?: () => Promise<void>;
}

interface Given {
  readonly name: string;
  readonly password: string;
}
