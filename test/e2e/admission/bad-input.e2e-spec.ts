import { connect } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AdmissionError, KopfAdmission, Validate, type AdmissionContext } from 'nestjs-kopf';
import { AdmissionTarget, TARGETS, type TargetRequest } from './admission.target.js';
import { eventually } from '../../support/time/eventually.js';
import { usedHeap } from '../../support/measurement/garbage.js';
import { makeExample, makeReview, patchOf } from '../../support/webhooks/reviews.js';

const MIB = 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const STACK = /\bat .*[:/]\d+|\.[jt]s:\d|node_modules/;

@Injectable()
class Handlers {
  calls = 0;
  aborted = 0;

  @Validate('kopfexamples')
  async check({ spec, warnings }: AdmissionContext) {
    this.calls++;
    warnings.push('Seen.');
    await Promise.resolve();
    if (spec.number % 2) throw new AdmissionError(`${spec.number} is odd.`, 422);
  }

  @Validate('kopfexamples')
  fail({ spec }: AdmissionContext) {
    const thrown: Record<string, unknown> = {
      error: new TypeError('Something is broken.'),
      cause: new Error('It is outside.', { cause: new Error('secret: hunter2') }),
      text: 'a text',
      nothing: undefined,
      null: null,
      bare: Object.create(null),
      unnamed: new Error(),
    };
    throw thrown[spec.what];
  }

  @Validate('kopfexamples')
  hang({ signal }: AdmissionContext) {
    signal.addEventListener('abort', () => this.aborted++);
    return new Promise(() => undefined);
  }

  @Validate('kopfexamples')
  change({ patch }: AdmissionContext) {
    patch.spec.changed = true;
  }
}

const review = (spec: object = {}, request = {}): object => makeReview(makeExample(spec), request);

describe.each(TARGETS)('bad input, answered by %s', (target) => {
  let operator: AdmissionTarget;

  async function start(): Promise<void> {
    operator = await AdmissionTarget.start(target, Handlers);
  }

  describe('what is no review', () => {
    const pods = { resource: { group: '', version: 'v1', resource: 'pods' } };
    const refusals: Record<
      string,
      [status: number, message: string | undefined, request: TargetRequest, path?: string]
    > = {
      'no body': [400, 'The request has no body.', {}],
      'an empty body': [400, 'The request has no body.', { body: '' }],
      'what is no JSON': [400, 'The body is not JSON.', { body: '{"request":' }],
      'a text': [400, undefined, { body: '"review"' }],
      'nothing in JSON': [400, undefined, { body: 'null' }],
      'a list': [400, 'The admission review is not an object.', { body: [review()] }],
      'a review without a request': [
        400,
        'The admission review has no request.',
        { body: { kind: 'AdmissionReview' } },
      ],
      'an answer': [400, 'The admission review has no request.', { body: { response: { uid: 'u', allowed: true } } }],
      'another version': [
        400,
        'The admission review must be of admission.k8s.io/v1 or admission.k8s.io/v1beta1.',
        { body: { ...review(), apiVersion: 'admission.k8s.io/v2' } },
      ],
      'another kind': [400, 'This is no AdmissionReview.', { body: { ...review(), kind: 'ConversionReview' } }],
      'no uid': [400, 'The admission request has no uid.', { body: review({}, { uid: '' }) }],
      'no object': [400, 'The admission request has no object.', { body: review({}, { object: null }) }],
      'an object that is none': [400, 'object must be an object.', { body: review({}, { object: [] }) }],
      'labels that are none': [
        400,
        'object.metadata.labels must be an object.',
        { body: makeReview(makeExample({}, { labels: 'a' })) },
      ],
      'another operation': [
        400,
        'The operation of the admission request must be one of CREATE, UPDATE, DELETE, CONNECT.',
        { body: review({}, { operation: 'READ' }) },
      ],
      'another resource': [404, 'No handler is for the resource pods.v1.', { body: review({}, pods) }],
      'an unknown handler': [404, "There is no handler 'nothing'.", { body: review() }, '/nothing'],
      'a handler of every object': [404, "There is no handler '__proto__'.", { body: review() }, '/__proto__'],
      'another content type': [415, undefined, { body: review(), headers: { 'content-type': 'text/plain' } }],
      'no content type': [415, undefined, { body: review(), headers: { 'content-type': undefined } }],
      'a form of a page': [
        415,
        undefined,
        { body: review(), headers: { 'content-type': FORM, origin: 'http://page' } },
      ],
      'a compressed body': [415, undefined, { body: review(), headers: { 'content-encoding': 'gzip' } }],
      'too large a body': [413, undefined, { body: review({ text: 'x'.repeat(9 * MIB) }) }],
      'too large a body of unknown length': [
        413,
        undefined,
        { body: review({ text: 'x'.repeat(9 * MIB) }), headers: { 'transfer-encoding': 'chunked' } },
      ],
    };

    it('should be refused with a status, and never be brought to a handler', async () => {
      await start();
      for (const [what, [status, message, request, path = '/check']] of Object.entries(refusals)) {
        const answer = await operator.send(path, request);
        expect(answer.status, what).toBe(status);
        expect(answer.body, what).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
        if (message !== undefined) expect(answer.body.message, what).toBe(message);
        expect(answer.text, what).not.toMatch(STACK);
        expect((await operator.send('/check', { body: review() })).status, what).toBe(200);
      }
      expect(operator.get(Handlers).calls).toBe(Object.keys(refusals).length);
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const answer = await operator.send('/check', { method, body: method.startsWith('P') ? review() : undefined });
        expect([400, 404, 405], method).toContain(answer.status);
        expect(answer.text).not.toMatch(STACK);
      }
      const badlyEncoded = await operator.send('/%E0%A4%A', { body: review() });
      expect(badlyEncoded.status).toBe(400);
      expect(badlyEncoded.text).not.toMatch(STACK);
      expect(operator.get(Handlers).calls).toBe(Object.keys(refusals).length);
      expect(operator.application.logger.messages('error')).toEqual([]);
    });
  });

  it('should take large reviews, older ones, and what curl sends by default', async () => {
    await start();
    const accepted: TargetRequest[] = [
      { body: review({ text: 'x'.repeat(3 * MIB) }) },
      { body: { ...review(), apiVersion: 'admission.k8s.io/v1beta1' } },
      { body: review(), headers: { 'content-type': FORM } },
      { body: review(), headers: { 'content-type': 'application/json; charset=utf-8' } },
    ];
    for (const request of accepted) {
      const { status, body } = await operator.send('/check', request);
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: 'AdmissionReview', response: { allowed: true, warnings: ['Seen.'] } });
    }
  });

  it('should refuse by a review what handlers throw, without any details', async () => {
    await start();
    const message = 'The admission handler has failed with an internal error; the log of the operator says which.';
    for (const what of ['error', 'cause', 'text', 'nothing', 'null', 'bare', 'unnamed']) {
      const { status, body, text } = await operator.send('/fail', { body: review({ what }) });
      expect(status, what).toBe(200);
      expect(body.response, what).toMatchObject({ allowed: false, status: { code: 500, message } });
      expect(text).not.toMatch(STACK);
      expect(text).not.toMatch(/hunter2|broken|outside/);
    }
  });

  it('should refuse by a review what hangs, in time', async () => {
    await start();
    const begun = performance.now();
    const { status, body } = await operator.send('/hang?timeout=2s', { body: review() });
    expect(performance.now() - begun).toBeLessThan(1900);
    expect(status).toBe(200);
    expect(body.response.status).toEqual({ code: 504, message: 'The handlers have not answered within 1 seconds.' });
    expect(operator.get(Handlers).aborted).toBe(1);
    for (const timeout of ['0s', '-1s', 'soon', '']) {
      expect((await operator.send(`/check?timeout=${timeout}`, { body: review() })).body.response.allowed).toBe(true);
    }
    expect(operator.get(KopfAdmission).reviewing).toBe(0);
  });

  it('should return patches of validations, which API servers refuse, and complain of them', async () => {
    await start();
    const { body } = await operator.send('/change', { body: review() });
    expect(patchOf(body)).toEqual([{ op: 'add', path: '/spec/changed', value: true }]);
    expect(operator.application.logger.messages('warn')).toEqual([expect.stringContaining('must not patch')]);
  });

  it('should answer 1,000 reviews at the same time, each of them its own', async () => {
    await start();
    operator.agent.maxSockets = 1000;
    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map((number) => operator.send('/check', { body: review({ number }, { uid: `uid-${number}` }) })),
    );
    for (const number of numbers) {
      const { status, body } = answers[number];
      expect(status).toBe(200);
      expect(body.response.uid).toBe(`uid-${number}`);
      expect(body.response.status?.message).toBe(number % 2 ? `${number} is odd.` : undefined);
    }
    expect(operator.get(KopfAdmission).reviewing).toBe(0);
  });

  it('should keep nothing of what was bad: neither memory, nor connections, nor timers', async () => {
    await start();
    const { hostname, port } = new URL(operator.base);
    const text = 'x'.repeat(200_000);
    const round = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) {
        await Promise.all([
          operator.send('/check', { body: '{' }),
          operator.send('/check', { body: review({ text, number: 1 }) }),
          operator.send('/fail', { body: review({ text, what: 'error' }) }),
          operator.send('/nothing', { body: review({ text }) }),
          ...(count % 10 === 0 ? [operator.send('/hang?timeout=1s', { body: review({ text }) })] : []),
          operator.send('/check', { body: text, headers: { 'content-type': 'text/plain' } }),
        ]);
        // Clients that go away in the middle of their requests, and of their reviews.
        const socket = connect(Number(port), hostname).on('error', () => undefined);
        const path = new URL(`${operator.base}/check`).pathname;
        const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
        socket.write(`${head}content-length: 300000\r\n\r\n{"a":"${text}`);
        await new Promise((resolve) => socket.once('connect', resolve));
        socket.destroy();
        operator.application.logger.lines.length = 0;
      }
      operator.agent.destroy();
      await eventually('nobody is connected', () => !process.getActiveResourcesInfo().includes('TCPSocketWrap'));
    };
    const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
    await round();
    const [heap, waiting] = [usedHeap(), timers()];
    await round();
    expect(operator.get(KopfAdmission).reviewing).toBe(0);
    expect(timers()).toBeLessThanOrEqual(waiting);
    expect(usedHeap() - heap).toBeLessThan(2 * MIB);
  });
});
