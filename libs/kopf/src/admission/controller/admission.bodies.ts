import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { createFailureStatus, readBody, checkRequest, parseReview } from '../servers/request.checks.js';
import { hasLongInteger, parseJson } from 'kube-common';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { AdmissionRoute, ID_WILDCARD } from './admission.route.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import { InjectOwn } from '../../kopf.tokens.js';

/** Describes the members of Fastify's routes that are used here; Fastify is no dependency of the package. */
interface FastifyRoute {
  url: string;
  bodyLimit?: number;
  onRequest?: unknown;
  preParsing?: unknown;
  preHandler?: unknown;
  errorHandler?: unknown;
}

/** Describes the members of Fastify that are used here; Fastify is no dependency of the package. */
interface Fastify {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): void;
}

type Next = (error?: unknown) => void;

/**
 * Reads the bodies of reviews, as applications accept only small ones of their users: 100 kB with Express, 1 MiB with Fastify.
 *
 * It must come before the parsers of the application, which Nest registers when the application is initialised.
 */
@Injectable()
export class AdmissionBodies {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(AdmissionRoute) private readonly route: AdmissionRoute,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Prepares the HTTP server as soon as there is one; never, if the application has none. */
  install(): void {
    this.host.init$.subscribe(() => this.prepare(this.host.httpAdapter as AbstractHttpAdapter | null | undefined));
  }

  /** @param adapter absent in a standalone application or a microservice, which have no HTTP server. */
  private prepare(adapter: AbstractHttpAdapter | null | undefined): void {
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
      // Express has names for wildcards, Fastify has not.
      route.url = route.url.replace(ID_WILDCARD, '*');
      route.bodyLimit = this.settings.admission.bodyLimit;
      route.errorHandler = (error: FastifyFailure, _request: unknown, reply: FastifyReply) =>
        sendFailure(reply, explainFastifyFailure(error, this.settings.admission.bodyLimit));
      const others = hooksOf(route.onRequest);
      route.onRequest = [
        ({ raw }: { raw: IncomingMessage }, reply: FastifyReply, next: Next) => {
          try {
            checkRequest(raw);
            // Whatever it is called, it is JSON.
            raw.headers['content-type'] = 'application/json';
            next();
          } catch (error) {
            sendFailure(reply, error);
          }
        },
        ...others,
      ];
      this.keepIntegers(route);
    });
  }

  /** Lets the parser of Fastify do its work, but where it has rounded integers, the body is parsed again. */
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
      const body = parseReview(await readBody(request, this.settings.admission.bodyLimit));
      // Parsers leave alone what others have parsed; older ones know that by the mark.
      Object.assign(request, { body, _body: true });
    } catch (error) {
      const failure = createFailureStatus(error);
      response.writeHead(failure.code, { 'content-type': 'application/json' }).end(JSON.stringify(failure));
      request.resume();
      return;
    }
    next();
  }
}

function hooksOf(hooks: unknown): unknown[] {
  return hooks === undefined ? [] : [hooks].flat();
}

interface FastifyReply {
  status(code: number): FastifyReply;
  send(body: unknown): void;
}

function sendFailure(reply: FastifyReply, error: unknown): void {
  const failure = createFailureStatus(error);
  reply.status(failure.code).send(failure);
}

/** Describes the members that are used of the errors that Fastify's parsers throw. */
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
