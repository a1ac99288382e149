import {
  AdmissionError,
  Mutate,
  PermanentError,
  PRESENT,
  TemporaryError,
  Validate,
  type AdmissionContext,
  type KubeObject,
} from 'nestjs-kopf';
import type { AdmissionOptions } from 'nestjs-kopf/decorators';
import type { SimulatedState, SimulationProperty } from 'nestjs-kopf-simulation';
import { OperatorBuilder, RESOURCE, type RandomSpec } from './random.builder.js';

/** The size from which on objects are rejected. */
export const SIZE_LIMIT = 100;
/** The label of objects that cannot be deleted. */
export const KEPT = { key: 'kept', value: 'yes' } as const;

interface AdmittedSpec extends RandomSpec {
  readonly shade?: string;
}

type Admitted = KubeObject<AdmittedSpec> & { readonly spec: AdmittedSpec };

/** Adds handlers that the API server asks before it stores objects. They depend on the objects only, so that the same are always rejected. */
export class AdmittingBuilder extends OperatorBuilder {
  addAdmission(): void {
    const { draw } = this;
    this.addLimit();
    this.addShade();
    if (draw.percent(60)) this.addKeeper();
    if (draw.percent(60)) this.addWarnings();
    if (draw.percent(40)) this.addImmutable();
  }

  /** Rejects objects that are too large. */
  private addLimit(): void {
    const { draw } = this;
    const makeError = draw.one<() => Error>([
      () => new AdmissionError('It is too large.', 422),
      () => new PermanentError('It is too large.'),
      () => new TemporaryError('It is too large.'),
      () => new Error('It is too large.'),
    ]);
    const isLarge = (size: unknown): boolean => (size as number) >= SIZE_LIMIT;
    const filters = draw.one<AdmissionOptions>([
      {},
      { operations: ['CREATE', 'UPDATE'] },
      { operations: ['CREATE', 'UPDATE'], field: 'spec.size', value: isLarge },
      { when: ({ spec }) => isLarge((spec as AdmittedSpec).size) },
    ]);
    this.add('limit', [Validate(RESOURCE, filters)], (_parts, { spec, operation }: AdmissionContext<AdmittedSpec>) => {
      if (operation !== 'DELETE' && isLarge(spec.size)) throw makeError();
    });
  }

  /** Completes objects. */
  private addShade(): void {
    const { draw } = this;
    const shade = draw.one(['light', 'dark']);
    const transforms = draw.percent(40);
    this.add(
      'shade',
      [Mutate(RESOURCE, { operations: ['CREATE', 'UPDATE'], sideEffects: draw.percent(30) })],
      (_parts, { spec, patch }: AdmissionContext<AdmittedSpec>) => {
        if (spec.shade !== undefined) return;
        if (transforms) patch.transform((body) => void ((body.spec as { shade?: string }).shade = shade));
        else patch.spec.shade = shade;
      },
    );
  }

  /** Rejects the deletion of objects that are to be kept. */
  private addKeeper(): void {
    const labels = { [KEPT.key]: KEPT.value };
    this.add('protect', [Validate(RESOURCE, { operation: 'DELETE', labels })], (_parts, { name }: AdmissionContext) => {
      throw new AdmissionError(`${name} is kept.`, 403);
    });
  }

  /** Warns of objects, also where the operator cannot be reached. */
  private addWarnings(): void {
    const filters = this.draw.one<AdmissionOptions>([
      { labels: { guarded: PRESENT } },
      { field: 'spec.colour', new: PRESENT, operation: 'UPDATE' },
      { annotations: { checked: PRESENT }, subresource: '*' },
    ]);
    const options = { ...filters, ignoreFailures: true, persistent: this.draw.percent(50) };
    this.add('warn', [Validate(RESOURCE, options)], (_parts, { warnings, name }: AdmissionContext) => {
      warnings.push(`${name} is noticed.`);
    });
  }

  /** Rejects changes of what was completed. */
  private addImmutable(): void {
    const options: AdmissionOptions = { operation: 'UPDATE', field: 'spec.shade' };
    this.add('immutable', [Validate(RESOURCE, options)], (_parts, { old, spec }: AdmissionContext<AdmittedSpec>) => {
      const before = (old as Admitted | undefined)?.spec.shade;
      if (before !== undefined && before !== spec.shade) throw new AdmissionError('It cannot be changed.', 422);
    });
  }
}

/** Whatever is stored has been admitted, at all times. */
export const ADMITTED: readonly SimulationProperty[] = [
  function isNeverTooLarge({ list }: SimulatedState) {
    return list<Admitted>('KopfExample').every(({ spec }) => spec.size < SIZE_LIMIT);
  },
  function isAlwaysComplete({ list }: SimulatedState) {
    return list<Admitted>('KopfExample').every(({ spec }) => spec.shade !== undefined);
  },
];
