import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Controller, Get, Injectable, UnauthorizedException, VersioningType, type CanActivate } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { map } from 'rxjs';
import { IsPositive, IsNotEmpty, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import {
  AdmissionError,
  KopfOperator,
  Mutate,
  SystemClock,
  SystemRandom,
  Validate,
  type AdmissionContext,
} from 'nestjs-kopf';
import { generateCertificate } from '../../../libs/kopf/src/admission/certificates/certificate.factory.js';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { AdmissionApplication, type Platform } from '../../support/webhooks/admission.application.js';
import { makeExample, makeReview, patchOf } from '../../support/webhooks/reviews.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';

class Disk {
  @IsNotEmpty() name: string;
}

class ExampleSpec {
  @IsPositive() size: number;
  @ValidateNested({ each: true }) @Type(() => Disk) disks: Disk[] = [];
}

@Injectable()
class Handlers {
  readonly seen: AdmissionContext[] = [];

  @Validate('kopfexamples')
  check(context: AdmissionContext) {
    this.seen.push(context);
    context.warnings.push('Seen.');
    if (context.spec.bad) throw new AdmissionError('It is bad.', 422);
    if (context.spec.broken) throw new TypeError('Something is broken.');
  }

  @Mutate('kopfexamples')
  complete({ spec, patch }: AdmissionContext) {
    if (spec.size === undefined) patch.spec.size = 1;
    if (spec.list) patch.transform((body) => body.spec.list.push('more'));
  }

  @Validate('kopfexamples', { dto: ExampleSpec })
  typed() {}
}

const PLATFORMS: Platform[] = ['express', 'fastify'];

describe.each(PLATFORMS)('the controller of reviews on %s', (platform) => {
  async function start(options: Partial<Parameters<typeof AdmissionApplication.start>[0]> = {}) {
    const { kube } = await OperatorHarness.start();
    return AdmissionApplication.start({ platform, kube, providers: [Handlers], ...options });
  }

  it('should let objects pass, with warnings', async () => {
    const application = await start();
    const { status, body } = await application.post('/admission/check', makeReview(makeExample({})));
    expect(status).toBe(200);
    expect(body).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: '1ca13837-ad60-4c9e-abb8-86f29d6c0e84', allowed: true, warnings: ['Seen.'] },
    });
    const [context] = application.app.get(Handlers).seen;
    expect(context.headers['content-type']).toBe('application/json');
    expect(context.sslpeer).toBeUndefined();
    expect(context.userinfo.username).toBe('admin');
  });

  it('should refuse objects with the code and the message', async () => {
    const application = await start();
    const { body } = await application.post('/admission/check', makeReview(makeExample({ bad: true })));
    expect(body.response).toMatchObject({ allowed: false, status: { code: 422, message: 'It is bad.' } });
    const broken = await application.post('/admission/check', makeReview(makeExample({ broken: true })));
    const message = 'The admission handler has failed with an internal error; the log of the operator says which.';
    expect(broken.body.response.status).toEqual({ code: 500, message });
    expect(JSON.stringify(broken.body)).not.toContain('at ');
  });

  it('should change objects', async () => {
    const application = await start();
    const { body } = await application.post('/admission/complete?timeout=10s', makeReview(makeExample({ list: [] })));
    expect(patchOf(body)).toEqual([
      { op: 'add', path: '/spec/size', value: 1 },
      { op: 'add', path: '/spec/list/0', value: 'more' },
    ]);
  });

  it('should ask all handlers at the root', async () => {
    const application = await start();
    const { body } = await application.post('/admission', makeReview(makeExample({ disks: [{ name: '' }] })));
    expect(body.response).toMatchObject({
      allowed: false,
      warnings: ['Seen.'],
      status: {
        code: 422,
        message: 'spec.size must be a positive number; spec.disks[0].name should not be empty',
      },
    });
  });

  it('should take reviews that are larger than what the application takes of its users', async () => {
    const application = await start();
    const large = makeExample({ text: 'x'.repeat(3_000_000) });
    const review = makeReview(large, { operation: 'UPDATE', oldObject: large });
    expect((await application.post('/admission/check', review)).body.response).toMatchObject({ allowed: true });
  });

  it.each([
    ['another content type', makeReview(makeExample({})), { 'content-type': 'text/plain' }, 415],
    ['what is no JSON', '{', {}, 400],
    ['no body', undefined, {}, 400],
    ['a list', '[]', {}, 400],
    ['a review without a request', { kind: 'AdmissionReview' }, {}, 400],
    ['another version', { ...makeReview(makeExample({})), apiVersion: 'admission.k8s.io/v2' }, {}, 400],
    [
      'an unknown resource',
      makeReview(makeExample({}), { resource: { group: '', version: 'v1', resource: 'pods' } }),
      {},
      404,
    ],
    ['too large a body', makeReview(makeExample({ text: 'x'.repeat(8 * 1024 * 1024) })), {}, 413],
  ])('should refuse %s', async (_what, body, headers, expected) => {
    const application = await start();
    const answer = await application.post('/admission/check', body, headers);
    expect(answer.status).toBe(expected);
    expect(JSON.stringify(answer.body)).not.toMatch(/\.[jt]s:|node_modules/);
    expect(application.app.get(Handlers).seen).toEqual([]);
  });

  it('should not know other handlers', async () => {
    const application = await start();
    const answer = await application.post('/admission/nothing', makeReview(makeExample({})));
    expect(answer).toMatchObject({ status: 404, body: { kind: 'Status', message: "There is no handler 'nothing'." } });
  });

  it('should respect prefixes, versions, and what the application does with answers', async () => {
    @Controller({ path: 'other', version: '1' })
    class Other {
      @Get()
      get() {
        return 'something';
      }
    }
    const wrap = { intercept: (_context: unknown, next: any) => next.handle().pipe(map((data) => ({ data }))) };
    const application = await start({
      admission: { path: 'hooks/admission', service: { namespace: 'ns', name: 'operator', port: 8443 } },
      kopf: { admission: { managed: 'test.kopf.dev' } },
      controllers: [Other],
      providers: [Handlers, { provide: APP_INTERCEPTOR, useValue: wrap }],
      configure: (app) => {
        app.setGlobalPrefix('api');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
      },
    });
    const { body } = await application.post('/api/hooks/admission/check', makeReview(makeExample({})));
    expect(body.response).toMatchObject({ allowed: true });
    expect(await (await fetch(`${application.url}/api/v1/other`)).json()).toEqual({ data: 'something' });
    await vi.waitFor(() =>
      expect(application.logger.messages('log')).toContain('Reviews are served at the service ns/operator.'),
    );
  });

  it.each([
    ['https://host:8443', undefined, 'https://host:8443/admission'],
    ['https://host:8443/', undefined, 'https://host:8443/admission'],
    ['https://host/operator', 'api', 'https://host/operator/api/admission'],
    ['https://host/admission', 'api', 'https://host/admission/api/admission'],
    ['https://host/my-admission', undefined, 'https://host/my-admission/admission'],
    ['https://host/admission', undefined, 'https://host/admission'],
    ['https://host/operator/api/admission/', 'api', 'https://host/operator/api/admission'],
  ])(
    'should add its path to the URL %s under the prefix %j, and say so, unless it is there',
    async (url, prefix, whole) => {
      const application = await start({
        admission: { url },
        kopf: { admission: { managed: 'test.kopf.dev', exitDelay: 0 } },
        configure: (app) => void (prefix && app.setGlobalPrefix(prefix)),
      });
      const messages = () => application.logger.messages('log');
      await vi.waitFor(() => expect(messages()).toContain(`Reviews are served at ${whole}.`));
      const base = prefix ? `/${prefix}/admission` : '/admission';
      const added = `The path of the admission controller, ${base}, is added to the option url: webhooks are at ${whole}.`;
      const isWhole = url.replace(/\/$/, '') === whole;
      expect(messages().filter((line) => line.includes('the option url'))).toEqual(isWhole ? [] : [added]);
    },
  );

  it('should have the guards that it is given', async () => {
    class Guard implements CanActivate {
      canActivate(context: any): boolean {
        if (context.switchToHttp().getRequest().headers.authorization === 'Bearer secret') return true;
        throw new UnauthorizedException();
      }
    }
    const application = await start({ admission: { guards: [Guard] } });
    const review = makeReview(makeExample({}));
    expect((await application.post('/admission/check', review)).status).toBe(401);
    expect((await application.post('/admission/check', review, { authorization: 'Bearer secret' })).status).toBe(200);
  });

  it('should not be ready while reviews are not answered', async () => {
    const application = await start({ imports: [KopfHealthModule.forRoot()] });
    const indicator = application.app.get(KopfHealthIndicator, { strict: false });
    expect(await indicator.isReady()).toMatchObject({ kopf: { admission: { status: 'up', reviewing: 0 } } });
    await application.app.get(KopfOperator).stop();
    expect(await indicator.isReady()).toMatchObject({ kopf: { status: 'down', admission: { status: 'down' } } });
    const answer = await application.post('/admission/check', makeReview(makeExample({})));
    expect(answer).toMatchObject({ status: 503, body: { message: 'The operator is not ready for reviews.' } });
    await application.app.get(KopfOperator).start();
    await application.app.get(KopfOperator).ready();
    expect((await application.post('/admission/check', makeReview(makeExample({})))).status).toBe(200);
  });

  it("should tell the client's certificate", async () => {
    const own = { clock: new SystemClock(), random: new SystemRandom() };
    const server = await generateCertificate({ names: ['127.0.0.1'], lifetime: 60 }, own);
    const client = await generateCertificate({ names: ['client.example.com'], lifetime: 60 }, own);
    const https = { cert: server.certificate, key: server.privateKey, requestCert: true, rejectUnauthorized: false };
    const application = await start({ https });
    const body = JSON.stringify(makeReview(makeExample({})));
    const headers = { 'content-type': 'application/json' };
    const shown = { cert: client.certificate, key: client.privateKey, ca: server.caBundle };
    for (const options of [shown, { ca: server.caBundle }]) {
      const sent = request(`${application.url}/admission/check`, { ...options, method: 'POST', headers, agent: false });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      expect(response.statusCode).toBe(200);
    }
    const [first, second] = application.app.get(Handlers).seen;
    expect(first.sslpeer).toMatchObject({ subject: { CN: 'client.example.com' }, isVerified: false });
    expect(second.sslpeer).toBeUndefined();
  });
});
