/** Something in stock, as the API shows it. */
export interface Item {
  readonly id: string;
  readonly title: string;
  readonly quantity: number;
  readonly warehouse: string;
}

/** The specification of an `InventoryItem` in the cluster. */
export interface ItemSpec {
  readonly title: string;
  /** @default 0 */
  readonly quantity?: number;
  readonly warehouse: string;
}

export const ITEMS = 'inventoryitems.example.com';
