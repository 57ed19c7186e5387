// What the permission rules say of a call. Source: spec §9 (permission control); INTERFACE.md, `permission_rules`.

/**
 * `none`: no rule speaks of the call, and the plan mode decides. `rule` is the rule as it was written, with where it comes from: it is
 * shown to whoever is asked. `text` of a denial is for the model; it names the rule and what may be done instead. `why` is for people: whose
 * word it is, as a clause ("by the rule …").
 */
export type PermissionDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'allow'; readonly rule: string }
  | { readonly kind: 'ask'; readonly rule: string }
  | { readonly kind: 'deny'; readonly text: string; readonly why?: string | undefined };
