import { AdmissionError } from './admission.errors.js';
import { PermanentError, TemporaryError } from '../../execution/handler.errors.js';
import type { AdmissionReview } from '../../reviews/admission.review.js';
import { chooseError, createAnswer, createReviewPatch } from './admission.answers.js';
import { ResourcePatch } from '../../objects/patches.js';

const review = { request: { uid: 'u' } } as AdmissionReview;
const nothing = { errors: [], warnings: [], operations: [] };

describe('makeAnswer', () => {
  it('should allow by default, and name the default version and kind', () => {
    expect(createAnswer(review, nothing)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    });
  });

  it('should have the version and the kind of the question', () => {
    const older = { ...review, apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' };
    expect(createAnswer(older, nothing)).toMatchObject({
      apiVersion: 'admission.k8s.io/v1beta1',
      kind: 'AdmissionReview',
    });
  });

  it('should have warnings as texts', () => {
    const { response } = createAnswer(review, { ...nothing, warnings: ['a', 1, new Error('b')] });
    expect(response.warnings).toEqual(['a', '1', 'Error: b']);
  });

  it('should have the patch in base64', () => {
    const { response } = createAnswer(review, { ...nothing, operations: [{ op: 'add', path: '/ü', value: 'ß' }] });
    expect(response.patchType).toBe('JSONPatch');
    expect(JSON.parse(Buffer.from(response.patch!, 'base64').toString())).toEqual([
      { op: 'add', path: '/ü', value: 'ß' },
    ]);
  });

  it.each<[unknown, object]>([
    [new AdmissionError('No.'), { message: 'No.', code: 500 }],
    [new AdmissionError('No.', 499), { message: 'No.', code: 499 }],
    [new AdmissionError('No.', 0), { message: 'No.', code: 500 }],
    [new AdmissionError(), { message: 'AdmissionError', code: 500 }],
    [new PermanentError('Never.'), { message: 'Never.', code: 500 }],
    [new TemporaryError('Later.'), { message: 'Later.', code: 500 }],
    [new TypeError('Oops.'), { message: 'Oops.', code: 500 }],
    ['thrown', { message: 'thrown', code: 500 }],
  ])('should refuse with %s', (error, status) => {
    const operations = [{ op: 'remove', path: '/a' } as const];
    expect(createAnswer(review, { ...nothing, operations, errors: [error] }).response).toEqual({
      uid: 'u',
      allowed: false,
      status,
    });
  });
});

describe('chooseError', () => {
  const [admission, permanent, temporary, other] = [
    new AdmissionError('a'),
    new PermanentError('p'),
    new TemporaryError('t'),
    new Error('o'),
  ];

  it.each([
    [[other, temporary, permanent, admission], admission],
    [[other, temporary, permanent], permanent],
    [[other, temporary], temporary],
    [[other, new Error('second')], other],
    [[permanent, admission, new AdmissionError('second')], admission],
  ])('should choose of %s', (errors, chosen) => {
    expect(chooseError(errors)).toBe(chosen);
  });
});

const body = { metadata: { name: 'a', labels: { x: 'y' } }, spec: { size: 1, list: [1, 2], nested: { a: 1, b: 2 } } };

describe('makeReviewPatch', () => {
  it.each<[string, (patch: ResourcePatch) => void, object[]]>([
    ['nothing', () => undefined, []],
    ['parts that were only looked at', (patch) => void [patch.spec, patch.metadata.labels], []],
    ['the same again', (patch) => (patch.spec.size = 1), []],
    ['a field', (patch) => (patch.spec.size = 2), [{ op: 'replace', path: '/spec/size', value: 2 }]],
    [
      'a nested field',
      (patch) => (patch.spec.nested = { a: 3 }),
      [{ op: 'replace', path: '/spec/nested/a', value: 3 }],
    ],
    ['a removal', (patch) => (patch.spec.nested = null), [{ op: 'remove', path: '/spec/nested' }]],
    ['a removal of nothing', (patch) => (patch.spec.unknown = null), []],
    [
      'a label',
      (patch) => (patch.metadata.labels['a/b'] = 'c'),
      [{ op: 'add', path: '/metadata/labels/a~1b', value: 'c' }],
    ],
    ['a new part', (patch) => (patch.status.ready = true), [{ op: 'add', path: '/status', value: { ready: true } }]],
    ['an item', (patch) => patch.transform((it) => it.spec.list.pop()), [{ op: 'remove', path: '/spec/list/1' }]],
    [
      'both',
      (patch) => {
        patch.spec.size = 2;
        patch.transform((it) => (it.spec.double = it.spec.size * 2));
      },
      [
        { op: 'add', path: '/spec/double', value: 4 },
        { op: 'replace', path: '/spec/size', value: 2 },
      ],
    ],
  ])('should make the operations for %s', (_what, change, operations) => {
    const before = structuredClone(body);
    const patch = new ResourcePatch();
    change(patch);
    expect(createReviewPatch(body, patch)).toEqual(operations);
    expect(body).toEqual(before);
  });
});
