import { Injectable, UnauthorizedException, type CanActivate } from '@nestjs/common';
import { AdmissionError, ForOperator, getOperatorToken, KopfAdmissionModule, KopfModule, Validate } from 'nestjs-kopf';
import {
  AdmissionApplication,
  type AdmissionApplicationOptions,
  type Platform,
} from '../../support/webhooks/admission.application.js';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview } from '../../support/webhooks/reviews.js';

@Injectable()
class Handlers {
  @Validate('kopfexamples')
  check() {
    throw new AdmissionError('It is bad here.', 422);
  }
}

@Injectable()
@ForOperator('edge')
class EdgeHandlers {
  @Validate('kopfexamples')
  check() {
    throw new AdmissionError('It is bad there.', 422);
  }
  @Validate('kopfexamples', { id: 'size' })
  checkSize() {}
}

class Refusing implements CanActivate {
  canActivate(): boolean {
    throw new UnauthorizedException('Not you.');
  }
}

const PLATFORMS: Platform[] = ['express', 'fastify'];
const BIG = 'x'.repeat(2_000_000);

describe.each(PLATFORMS)('The controllers of reviews of several operators on %s', (platform) => {
  async function start(
    edge: Parameters<typeof KopfAdmissionModule.forRoot>[0] = {},
    more: Partial<AdmissionApplicationOptions> = {},
  ): Promise<AdmissionApplication> {
    const [here, there] = [await OperatorHarness.start(), await OperatorHarness.start()];
    const credentials = { server: 'http://embedded', transport: there.kube.transport() };
    const application = await AdmissionApplication.start({
      platform,
      kube: here.kube,
      providers: [Handlers, EdgeHandlers],
      imports: [
        KopfAdmissionModule.forRoot({ operator: 'edge', ...edge }),
        KopfModule.forRoot({ name: 'edge', credentials }),
      ],
      ...more,
    });
    await application.app.get(getOperatorToken('edge')).ready();
    return application;
  }

  it('should answer with the handlers of their own operators, under their own paths', async () => {
    const application = await start();
    const review = makeReview(makeExample({ text: BIG }));
    const answers = [
      await application.post('/admission/check', review),
      await application.post('/admission-edge/check', review),
      await application.post('/admission-edge/size', review),
      await application.post('/admission/size', review),
    ];
    expect(answers.map(({ body }) => body.response?.status?.message ?? body.response?.allowed ?? body.code)).toEqual([
      'It is bad here.',
      'It is bad there.',
      true,
      404,
    ]);
  });

  it('should be guarded each in its own way', async () => {
    const application = await start({ path: 'edge/admission', guards: [new Refusing()] });
    const review = makeReview(makeExample({}));
    expect(await application.post('/edge/admission/check', review)).toMatchObject({
      status: 401,
      body: { kind: 'Status', message: 'Not you.' },
    });
    expect((await application.post('/admission/check', review)).status).toBe(200);
  });

  it('should not be mounted below each other, where one would get the reviews of the other', async () => {
    await expect(start({ path: 'admission/edge' })).rejects.toMatchObject({
      code: 'KOPF_OPTIONS',
      message: expect.stringContaining('path leads to /admission, but there is another one with /admission/edge;'),
    });
  });

  it('should not be mounted at the same place', async () => {
    // Fastify finds it out by itself, when Nest registers the routes.
    const message =
      platform === 'fastify' ? /already declared for route '\/admission'/ : /another one with \/admission;/;
    await expect(start({ path: 'admission' })).rejects.toThrow(message);
  });
});
