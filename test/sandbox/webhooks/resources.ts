/** What triggers can be set on, and the events a resource does not have. */
export const WEBHOOK_RESOURCES: readonly {
  readonly name: string;
  readonly category: string;
  readonly except: readonly string[];
}[] = [
  { name: 'Document Upload', category: 'Document Management', except: ['delete'] },
  { name: 'Change Order Packages', category: 'Financials', except: [] },
  { name: 'Change Order Requests', category: 'Financials', except: [] },
  { name: 'Potential Change Orders', category: 'Financials', except: [] },
  { name: 'Observation Items', category: 'Quality & Safety', except: [] },
  { name: 'Timecard Entries', category: 'Field Productivity', except: [] },
  { name: 'Project Users', category: 'Core', except: [] },
  { name: 'Company Users', category: 'Core', except: [] },
];
