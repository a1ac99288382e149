import type { ComponentChildren } from 'preact';

/** A table that scrolls sideways where the screen is narrower than it. The region takes the focus, so that the keyboard scrolls it as well. */
export function TableScroll({
  label,
  children,
  columns,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
  /** Names the widths of the columns, see the styles. */
  readonly columns?: string;
}) {
  return (
    <div class="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class={columns ? `table columns-${columns}` : 'table'}>{children}</table>
    </div>
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
