/** A column of `kubectl get`, as a CRD's `additionalPrinterColumns` declare it. */
export interface PrinterColumn {
  readonly name: string;
  /** `integer`, `number`, `string`, `boolean`, `date`. */
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always printed, more only with `-o wide`. */
  readonly priority?: number;
  readonly jsonPath: string;
}
