import { KopfBootstrapError } from '../../common/kopf.errors.js';

/** The collected errors of classes, so that one error names all of them. */
export class SchemaErrors {
  private readonly texts = new Set<string>();

  /** @param place the class and the property, with the decorator where there is one: `DiskSpec.size (@Matches)`. */
  add(place: string, text: string): void {
    this.texts.add(`${place}: ${text}`);
  }

  /** @throws KopfBootstrapError if there are any errors. */
  throwAny(): void {
    if (this.texts.size > 0) throw new KopfBootstrapError([...this.texts]);
  }
}
