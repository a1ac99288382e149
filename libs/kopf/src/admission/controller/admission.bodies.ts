import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { checkRequest } from '../servers/request.checks.js';
import type { ReviewEndpoint } from '../servers/review.endpoint.js';
import { hasLongInteger, parseJson } from 'kube-common';
import type { KopfSettings } from '../../settings/kopf.settings.js';
import { type AdmissionRoute, ID_WILDCARD } from './admission.route.js';
import { AdmissionRequestError } from '../review/admission.errors.js';

/** The members of Fastify's routes that are used here; Fastify is no dependency of the package. */
interface FastifyRoute {
  url: string;
  bodyLimit?: number;
  onRequest?: unknown;
  preParsing?: unknown;
  preHandler?: unknown;
  errorHandler?: unknown;
}

/** The members of Fastify that are used here. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}

type Next = (error?: unknown) => void;

/**
 * The reader of the bodies of reviews, which can be larger than the bodies that applications accept from their users: 100 kB with Express,
 * 1 MiB with Fastify.
 *
 * It must come before the parsers of the application, which Nest registers when the application is initialised.
 */
export class AdmissionBodies {
  constructor(
    private readonly route: AdmissionRoute,
    private readonly settings: KopfSettings,
    private readonly endpoint: ReviewEndpoint,
  ) {}

  /** Prepares an HTTP server. @param adapter absent in a standalone application or a microservice, which have no HTTP server */
  prepare(adapter: AbstractHttpAdapter | null | undefined): void {
    if (!adapter) return;
    const type = adapter.getType();
    if (type === 'fastify') this.prepareFastify(adapter.getInstance<Fastify>());
    else if (type === 'express') {
      adapter.use((request: IncomingMessage, response: ServerResponse, next: Next) => {
        void this.read(request, response, next);
      });
    }
  }

  private prepareFastify(fastify: Fastify): void {
    fastify.addHook('onRoute', (route) => {
      if (!this.route.leads(route.url)) return;
      // Wildcards have names in Express, but not in Fastify.
      route.url = route.url.replace(ID_WILDCARD, '*');
      route.bodyLimit = this.settings.admission.bodyLimit;
      route.errorHandler = (error: FastifyFailure, _request: unknown, reply: FastifyReply) =>
        this.refuse(reply, explainFastifyFailure(error, this.settings.admission.bodyLimit));
      const others = hooksOf(route.onRequest);
      route.onRequest = [
        ({ raw }: { raw: IncomingMessage }, reply: FastifyReply, next: Next) => {
          try {
            checkRequest(raw);
            // The content type can be that of a form, which is the default of curl; the body is JSON.
            raw.headers['content-type'] = 'application/json';
            next();
          } catch (error) {
            this.refuse(reply, error);
          }
        },
        ...others,
      ];
      this.keepIntegers(route);
    });
  }

  /** Parses a body again after the parser of Fastify if there are integers in it that JSON.parse() rounds. */
  private keepIntegers(route: FastifyRoute): void {
    const chunks = new WeakMap<object, Buffer[]>();
    const collect = (request: object, _reply: unknown, payload: Readable, next: Next): void => {
      const kept: Buffer[] = [];
      chunks.set(request, kept);
      payload.on('data', (chunk: Buffer) => kept.push(chunk));
      next();
    };
    const correct = (request: { body: unknown }, _reply: unknown, next: Next): void => {
      const text = Buffer.concat(chunks.get(request) ?? []).toString('utf8');
      if (hasLongInteger(text)) request.body = parseJson(text.replace(/^\ufeff/, ''));
      next();
    };
    // No hook may run between this listener and that of the parser; otherwise the beginning of the body would be lost.
    route.preParsing = [...hooksOf(route.preParsing), collect];
    route.preHandler = [correct, ...hooksOf(route.preHandler)];
  }

  private async read(request: IncomingMessage, response: ServerResponse, next: Next): Promise<void> {
    if (request.method !== 'POST' || !this.route.leads(request.url ?? '')) return next();
    try {
      checkRequest(request);
      const body = await this.endpoint.read(request);
      // Parsers skip a body that was parsed already; older ones recognise it by `_body`.
      Object.assign(request, { body, _body: true });
    } catch (error) {
      this.endpoint.send(request, response, this.endpoint.refuse(error));
      return;
    }
    next();
  }

  private refuse(reply: FastifyReply, error: unknown): void {
    const { status, headers, text } = this.endpoint.refuse(error);
    reply.status(status).headers(headers).type('application/json; charset=utf-8').send(text);
  }
}

function hooksOf(hooks: unknown): unknown[] {
  return hooks === undefined ? [] : [hooks].flat();
}

/** The members of Fastify's replies that are used here. */
interface FastifyReply {
  status(code: number): FastifyReply;
  headers(values: object): FastifyReply;
  type(contentType: string): FastifyReply;
  send(body: string): void;
}

/** The members that are used of the errors that Fastify's parsers throw. */
export interface FastifyFailure {
  readonly code?: string;
  readonly statusCode?: number;
}

/**
 * Translates errors of Fastify's parsers to those of the other webhook servers, so that clients get the same messages from all.
 */
export function explainFastifyFailure(failure: FastifyFailure, bodyLimit: number): unknown {
  const { code, statusCode = 500 } = failure;
  if (statusCode >= 500) return failure;
  if (statusCode === 413) return new AdmissionRequestError(`The review is larger than ${bodyLimit} bytes.`, 413);
  const isEmpty = code === 'FST_ERR_CTP_EMPTY_JSON_BODY';
  return new AdmissionRequestError(isEmpty ? 'The request has no body.' : 'The body is not JSON.', statusCode);
}
