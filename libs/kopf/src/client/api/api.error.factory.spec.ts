import { inspect } from 'node:util';
import { createApiError, parseRetryAfter } from './api.error.factory.js';
import type { ApiError, StatusPayload } from './api.errors.js';

const CANARY = 'canary';

describe('A Retry-After that is a date', () => {
  const HOUR = 3_600_000;
  const TRUTH = Date.UTC(2020, 11, 31, 23, 59, 59);
  const http = (time: number): string => new Date(time).toUTCString();

  it.each([-12 * HOUR, -HOUR, 0, HOUR, 12 * HOUR])(
    'should be judged by the time of the server, with a clock off by %d',
    (skew) => {
      expect(parseRetryAfter(http(TRUTH + 30_000), TRUTH + skew, http(TRUTH))).toBe(30);
      expect(parseRetryAfter('30', TRUTH + skew, http(TRUTH))).toBe(30);
      expect(parseRetryAfter(http(TRUTH - 30_000), TRUTH + skew, http(TRUTH))).toBe(0);
    },
  );

  it('should not mean hours if only a local clock can judge it, nor anything if it is none', () => {
    expect(parseRetryAfter(http(TRUTH + 30_000), TRUTH)).toBe(30);
    expect(parseRetryAfter(http(TRUTH + 30_000), TRUTH - 12 * HOUR)).toBe(300);
    expect(parseRetryAfter(http(TRUTH + 30_000), TRUTH + HOUR)).toBe(0);
    expect(parseRetryAfter('soon', TRUTH)).toBeUndefined();
  });
});

function errorOf(status: number, payload: Partial<StatusPayload>, isProtected = true): ApiError {
  const text = JSON.stringify({ kind: 'Status', ...payload });
  const answer = { method: 'PATCH', path: '/api/v1/namespaces/ns/secrets/a', status, headers: {}, text };
  return createApiError(answer, 0, isProtected);
}

describe('The error of an answer about an object with values that must not be shown', () => {
  const invalid: Partial<StatusPayload> = {
    reason: 'Invalid',
    message: `Secret "a" is invalid: data[key]: Invalid value: "${CANARY}": must be nice`,
    details: {
      name: 'a',
      causes: [
        { field: 'data[key]', reason: 'FieldValueInvalid', message: `Invalid value: "${CANARY}": must be nice` },
      ],
    },
  };

  it('should name the fields that are invalid, and no values', () => {
    const error = errorOf(422, invalid);
    expect(error.message).toBe('PATCH /api/v1/namespaces/ns/secrets/a: 422 Invalid: data[key] (FieldValueInvalid)');
    expect(error.details).toEqual({ name: 'a', causes: [{ field: 'data[key]', reason: 'FieldValueInvalid' }] });
    expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
  });

  it('should have everything that the server says of other objects', () => {
    expect(errorOf(422, invalid, false).message).toContain(CANARY);
  });

  it.each<[number, string, string]>([
    [400, `illegal base64 data: ${CANARY}`, 'the reason is not shown, as it can hold values of the object'],
    [
      403,
      `admission webhook "x.dev" denied the request: not ${CANARY}`,
      'admission webhook "x.dev" denied the request',
    ],
    [
      422,
      `secrets "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${CANARY}`,
      `secrets "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request`,
    ],
    [500, `admission webhook "x.dev" denied the request: ${CANARY}`, 'admission webhook "x.dev" denied the request'],
  ])('should leave out what can hold values: %d %s', (status, message, expected) => {
    const error = errorOf(status, { message });
    expect(error.statusMessage).toBe(expected);
    expect(inspect(error, { depth: 10 })).not.toContain(CANARY);
  });

  it.each([
    [403, 'secrets "a" is forbidden: User "u" cannot patch resource "secrets"'],
    [404, 'secrets "a" not found'],
    [409, 'the object has been modified'],
    [500, 'etcdserver: request timed out'],
  ])('should have the texts that tell what to do: %d %s', (status, message) => {
    expect(errorOf(status, { message }).statusMessage).toBe(message);
  });
});
