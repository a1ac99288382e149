import { KopfOptionsError } from '../common/kopf.errors.js';
import { KopfInspectionModule } from './kopf-inspection.module.js';
import type { InspectionOptions } from './operator/inspect.operator.js';

describe('the options of KopfInspectionModule', () => {
  it.each<[InspectionOptions | undefined]>([
    [undefined],
    [{}],
    [{ operator: 'edge', redact: [{ resource: 'configmaps', fields: ['data.password'] }] }],
    [{ history: { keep: 'always', perObject: 10, objects: 100, seconds: 0 } }],
    [{ traceUrl: 'https://tempo.example.com/trace/{traceId}', history: undefined }],
  ])('should accept %j', (options) => {
    expect(KopfInspectionModule.forRoot(options).module).toBe(KopfInspectionModule);
  });

  it.each<[unknown, string]>([
    [{ operator: '' }, 'operator must be a non-empty string'],
    [{ redact: [{ fields: [] }] }, 'redact must be a list of { resource, fields }'],
    [{ redact: 'data' }, 'redact must be a list of { resource, fields }'],
    [{ history: 'always' }, 'history must be an object'],
    [{ history: null }, 'history must be an object'],
    [{ history: { keep: 'never' } }, "history.keep must be 'viewed' or 'always'"],
    [{ history: { seconds: -1 } }, 'history.seconds must be a number of seconds, not negative'],
    [{ history: { perobject: 5 } }, 'history.perobject does not exist; did you mean perObject?'],
    [{ traceUrl: 'https://tempo.example.com' }, 'traceUrl must be an address with {traceId} in it, of http or https'],
    [{ name: 'edge' }, 'name does not exist; there are operator, redact, history, traceUrl'],
  ])('should refuse %j', (options, violation) => {
    expect(() => KopfInspectionModule.forRoot(options as InspectionOptions)).toThrow(
      `The options of KopfInspectionModule are wrong: ${violation}.`,
    );
  });

  it('should name every option that is wrong or does not exist, in one error', () => {
    const options = { operater: 'edge', traceUrl: 5, history: { objects: 1.5, keep: true } } as never;
    const create = () => KopfInspectionModule.forRoot(options);
    expect(create).toThrow(KopfOptionsError);
    expect(create).toThrow(
      'operater does not exist; did you mean operator?; traceUrl must be a non-empty string; ' +
        "history.objects must be a whole number, not negative; history.keep must be 'viewed' or 'always'.",
    );
  });
});
