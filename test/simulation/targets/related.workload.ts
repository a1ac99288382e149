import type { SimulatedUser } from 'nestjs-kopf-simulation';
import type { Draw } from './random.draw.js';
import { RELATED_KINDS, type Relations } from './related.builder.js';

type TestObject = Parameters<SimulatedUser['apply']>[0];
type Step = (kube: SimulatedUser) => Promise<unknown>;

/** The names to which objects refer: some of them are there at times. */
const LINKS = ['x', 'y', 'z'];

/** Draws what users do with objects that have children and references, and with the objects that these refer to. No name of a parent is used twice. */
export class RelatedWorkload {
  readonly steps: Step[] = [];
  private readonly parents: TestObject[] = [];
  private readonly referents = new Map<string, TestObject>();
  private count = 0;

  constructor(
    private readonly draw: Draw,
    private readonly relations: Relations,
  ) {}

  /** Draws the next step. */
  addStep(): void {
    const { draw, parents } = this;
    const what = draw.number(10);
    if (parents.length === 0 || what < 2) this.create();
    else if (what < 5) this.changeReferent(draw.one(LINKS));
    else if (what < 9) this.change(draw.one(parents));
    else this.delete(draw.one(parents));
  }

  private create(): void {
    const metadata = { name: `a${(this.count += 1)}`, namespace: 'default' };
    const object = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata };
    const spec = { size: this.draw.number(10), parts: this.draw.number(4), links: this.drawLinks() };
    this.parents.push(object);
    this.steps.push((kube) => kube.apply({ ...object, spec }));
  }

  private change(object: TestObject): void {
    const { draw } = this;
    const patch = draw.one([
      { parts: draw.number(4) },
      { links: this.drawLinks() },
      { size: draw.number(10) },
      { parts: draw.number(4), links: this.drawLinks() },
    ]);
    this.steps.push((kube) => kube.patch(object, { spec: patch }));
  }

  private delete(object: TestObject): void {
    const propagationPolicy = this.draw.one(['Background', 'Foreground'] as const);
    this.parents.splice(this.parents.indexOf(object), 1);
    this.steps.push((kube) => kube.delete(object, { propagationPolicy }));
  }

  /** Makes an object that is referred to, or changes or deletes the one that is there. */
  private changeReferent(name: string): void {
    const { draw, referents, steps } = this;
    const present = referents.get(name);
    const metadata = { name, namespace: 'default' };
    const object = present ?? { apiVersion: 'v1', kind: RELATED_KINDS[this.relations.referents], metadata };
    if (present === undefined) {
      referents.set(name, object);
      steps.push((kube) => kube.apply(object));
    } else if (draw.percent(50)) {
      const labels = { value: draw.one(['early', 'late']) };
      steps.push((kube) => kube.patch(object, { metadata: { labels } }));
    } else {
      referents.delete(name);
      steps.push((kube) => kube.delete(object));
    }
  }

  private drawLinks(): readonly { readonly name: string }[] {
    return LINKS.filter(() => this.draw.percent(40)).map((name) => ({ name }));
  }
}
