import { IsInt, IsOptional, IsString } from 'class-validator';
import { CustomResource } from 'nestjs-kopf/crd';

/** Describes an item, as objects do. The API server checks types; the rules of `ItemDto`, which requests have, too, are checked by the webhook. */
export class InventoryItemSpec {
  @IsString()
  title: string;

  @IsOptional()
  @IsInt()
  quantity?: number;

  @IsString()
  warehouse: string;
}

/** The resource of inventory items, from which the CRD in `k8s/inventory-api/` is generated. */
@CustomResource({
  group: 'example.com',
  shortNames: ['item'],
  spec: InventoryItemSpec,
  printerColumns: [
    { name: 'Warehouse', jsonPath: '.spec.warehouse' },
    { name: 'Quantity', type: 'integer', jsonPath: '.spec.quantity' },
  ],
})
export class InventoryItem {
  spec: InventoryItemSpec;
}
