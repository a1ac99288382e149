import { CustomResource } from 'nestjs-kopf/crd';
import { ItemDto } from '../items/item.dto.js';

/** An item that is declared in the cluster. Its CRD follows from the rules of requests. */
@CustomResource({
  group: 'example.com',
  shortNames: ['item'],
  spec: ItemDto,
  printerColumns: [
    { name: 'Warehouse', jsonPath: '.spec.warehouse' },
    { name: 'Quantity', type: 'integer', jsonPath: '.spec.quantity' },
  ],
})
export class InventoryItem {
  spec: ItemDto;
}
