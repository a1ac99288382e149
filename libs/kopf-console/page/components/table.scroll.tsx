import type { ComponentChildren } from 'preact';

/** A table that scrolls sideways where the screen is narrower than it. The region takes the focus, so that the keyboard scrolls it as well. */
export function TableScroll({
  label,
  children,
  cards = false,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
  /**
   * Whether each row is a card on narrow screens, with its first cell as the heading: for tables of more columns than a phone has room for.
   */
  readonly cards?: boolean;
}) {
  return (
    <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class={cards ? 'table table-cards' : 'table'}>{children}</table>
    </div>
  );
}

/** A cell of a table whose rows can be cards, where it says by itself what it is about. */
export function Cell({
  label,
  kind = '',
  children,
}: {
  /** The heading of its column; absent if the cell says it by itself. */
  readonly label?: string;
  /**
   * Classes: `number` puts it to the right, `mono` is for names of code, `cell-line` has a separate line of the card, `cell-empty` is not
   * in it, and `cell-lead` is in one line with `cell-heading`.
   */
  readonly kind?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <td class={kind} data-label={label}>
      {children}
    </td>
  );
}

/** The headings of the columns; `#` before a text puts numbers to the right. */
export function TableHead({ columns }: { readonly columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th scope="col" key={column} class={column.startsWith('#') ? 'number' : undefined}>
            {column.replace('#', '')}
          </th>
        ))}
      </tr>
    </thead>
  );
}
