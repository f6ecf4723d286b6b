// What a part of the page's server is: handlers of its routes, and what it adds besides.
import type { Client } from '@temporalio/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from '../../../activities/host/metrics';
import type { Share } from '../../../activities/share/share';
import type { ShareConfig } from '../../../activities/share/share-config';
import type { Config } from '../../../workers/config/config';
import type { Logger } from '../../../workers/logging';
import type { WorkMetrics } from '../../../workers/metrics/work-metrics';
import type { AnswerOf, Asked, Role, Route, Routes } from '../contract/route';
import type { Topic } from '../contract/session';

/** Whoever asks. Their name goes into receipts with what they say. */
export interface Person {
  /** Tells people apart: two may have one name. */
  readonly id: string;
  readonly name: string;
  /** @returns whether the person may do that with this share. */
  may(role: Role, share: string): boolean;
}

export type Handler<One extends Route> = (asked: Asked<One>, person: Person) => Promise<AnswerOf<One>>;
export type Handlers<All extends Routes> = {
  readonly [Key in keyof All]: All[Key] extends Route ? Handler<All[Key]> : never;
};

/** A share as the page has it: it may be away, and come back. */
export interface ConsoleShare {
  readonly config: ShareConfig;
  /** Undefined while this host does not see it; `why` says it in words. */
  readonly share: Share | undefined;
  readonly why: string | undefined;
}

/** What every part gets. */
export interface ConsoleDeps {
  readonly config: Config;
  /** As they are now: ask again each time. */
  readonly shares: () => readonly ConsoleShare[];
  /** Rejects while Temporal is away. */
  readonly temporal: () => Promise<Client>;
  readonly logger: Logger;
  /** Says that something may have changed: who shows it asks again. */
  readonly changed: (topics: readonly Topic[]) => void;
  readonly now: () => Date;
  /** What the worker of this very process counts; absent where there is none. */
  readonly work?: WorkMetrics | undefined;
  /** The numbers of this process. */
  readonly metrics: Metrics;
}

/** Checks who asks, for all routes that are no JSON: downloads, uploads. */
export interface Door {
  /** The person who asks. @throws ConsoleProblem 401: nobody is signed in; 403: it is not theirs to do. */
  person(request: FastifyRequest, role: Role, share: string): Person;
}

export interface ConsoleModule<All extends Routes> {
  readonly handlers: Handlers<All>;
  /** Routes that are no JSON. */
  readonly extend?: (server: FastifyInstance, door: Door) => void;
  /** Looks whether something has changed, every second while somebody watches. */
  readonly look?: () => Promise<readonly Topic[]>;
  /** Something has changed, and those who show it are about to ask: what is remembered of it is old. */
  readonly onChanged?: (topics: readonly Topic[]) => void;
  readonly close?: () => Promise<void>;
}

/** What a person is told instead of an answer. */
export class ConsoleProblem extends Error {
  readonly status: number;
  readonly faults: readonly { readonly at?: string; readonly text: string }[];

  constructor(
    status: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 423 | 429 | 503,
    text: string,
    faults: ConsoleProblem['faults'] = [],
  ) {
    super(text);
    this.name = 'ConsoleProblem';
    this.status = status;
    this.faults = faults;
  }
}
