const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML whose inserted values are escaped. */
export class Markup {
  /** @param text HTML that is known to be safe. */
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** A value in a template. HTML stays as it is, the items of lists are inserted one after another, and everything else is escaped text. */
type MarkupValue = Markup | string | number | undefined | readonly MarkupValue[];

/**
 * Makes HTML of a template. Values are escaped, so contents of objects are text wherever they stand between tags or in a quoted attribute.
 *
 * @example
 * markup`<p title="${name}">${text}</p>`;
 */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: MarkupValue): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return String(value);
  if (Array.isArray(value)) return (value as readonly MarkupValue[]).map(render).join('');
  return String(value as string | number).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
