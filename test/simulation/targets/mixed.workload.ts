import type { SimulatedUser } from 'nestjs-kopf-simulation';
import type { Draw } from './random.draw.js';

type TestObject = Parameters<SimulatedUser['apply']>[0];
type Step = (kube: SimulatedUser) => Promise<unknown>;

/** Draws what users of a mixed operator do: with tenants, and with objects in namespaces that come and go. No name of theirs is used twice, but for namespaces. */
export class MixedWorkload {
  readonly steps: Step[] = [];
  private objects: TestObject[] = [];
  private namespaces: string[] = [];
  private count = 0;

  /** @param further decides on what was not drawn from the beginning, so that workloads which are known stay what they were */
  constructor(
    private readonly draw: Draw,
    private readonly further: Draw,
  ) {}

  /** Draws the next step. */
  addStep(): void {
    const { draw, objects, namespaces } = this;
    const what = draw.number(10);
    if (objects.length === 0 || what < 2) this.create('kopf.dev/v1', 'KopfExample', this.drawNamespace());
    else if (what === 2) this.create('random.example.com/v1', 'Tenant');
    else if (what === 3 && namespaces.length > 0) this.deleteNamespace(draw.one(namespaces));
    else if (what < 7) this.change(draw.one(objects));
    else this.delete(draw.one(objects));
  }

  /** A namespace that is there, or one that is created for the purpose. */
  private drawNamespace(): string {
    const { draw, namespaces } = this;
    const choice = draw.number(4);
    if (choice === 0) return 'default';
    if (choice === 1 && namespaces.length > 0) return draw.one(namespaces);
    const name = this.nameFor(draw.one(['app-', 'app-', 'other-']));
    namespaces.push(name);
    this.steps.push((kube) => kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    return name;
  }

  private create(apiVersion: string, kind: string, namespace?: string): void {
    const metadata = {
      name: this.nameFor(kind === 'Tenant' ? 't' : 'a'),
      ...(namespace !== undefined && { namespace }),
    };
    const object = { apiVersion, kind, metadata };
    const created = { ...object, spec: { size: this.draw.number(10) } };
    this.objects.push(object);
    this.steps.push((kube) => kube.apply(created));
  }

  private change(object: TestObject): void {
    const size = this.draw.number(10);
    const label = this.draw.one(['yes', null]);
    const patch = this.draw.percent(70) ? { spec: { size } } : { metadata: { labels: { guarded: label } } };
    this.steps.push((kube) => kube.patch(object, patch));
  }

  private delete(object: TestObject): void {
    const propagationPolicy = this.draw.one(['Background', 'Foreground'] as const);
    this.objects = this.objects.filter((other) => other !== object);
    this.steps.push((kube) => kube.delete(object, { propagationPolicy }));
  }

  private deleteNamespace(name: string): void {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    this.objects = this.objects.filter(({ metadata }) => metadata.namespace !== name);
    if (this.further.percent(60)) {
      this.namespaces = this.namespaces.filter((other) => other !== name);
      this.steps.push((kube) => kube.delete(namespace));
      return;
    }
    // Nothing can be created in it until it is there again.
    this.steps.push(
      (kube) => kube.recreate(namespace),
      (kube) => kube.settled(),
    );
  }

  private nameFor(prefix: string): string {
    return `${prefix}${(this.count += 1)}`;
  }
}
