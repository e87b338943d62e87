//! plugboard.h for Rust. A plugin is a type that implements [`Plugin`]; what panics is caught at the border.
//!
//! ```ignore
//! plugboard::export! {
//!     plugin: Hello, entry: hello_LTX_plugboard_plugin,
//!     id: "com.example.hello", version: "1.0.0", documentation: "Says hello.",
//!     priority: 300, hooks: ON_REQUEST,
//!     settings: [OptionDefinition::text("value", "hello", "What it says.").bounds(1, 100)],
//! }
//! ```
//!
//! A panic in a hook, and an error that it returns, are faults of the plugin; the configuration says what follows
//! (`onFault`). To fail an exchange on purpose, return `Ok(exchange.fail(code, reason))`. A panic elsewhere breaks
//! the body, fails the command, or is logged: nothing unwinds into the kernel.
//!
//! Threads, lifetimes and numbers are those of plugboard.h. What is missing here is reached through [`raw`], with
//! `Host::raw` and `Exchange::raw`. One file, no dependency, Rust 1.63 or later.
#![allow(dead_code, non_camel_case_types, unused_imports, unused_macros)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as StdError;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(panic = "abort")]
compile_error!("a panic must unwind to be caught at the border: take `panic = \"abort\"` out of the profile");

pub use raw::{
    PLUG_ON_CLOSE as ON_CLOSE, PLUG_ON_EVENT as ON_EVENT, PLUG_ON_FAILURE as ON_FAILURE, PLUG_ON_REQUEST as ON_REQUEST,
    PLUG_ON_RESPONSE as ON_RESPONSE,
};

/// plugboard.h as it is: the same names, the same layout.
pub mod raw {
    use std::ffi::c_void;
    use std::os::raw::c_char;

    macro_rules! opaque {
        ($name:ident) => {
            #[repr(C)]
            pub struct $name {
                _opaque: [u8; 0],
            }
        };
    }

    pub const PLUG_ABI_REVISION: u32 = 1;
    pub const PLUG_OK: plug_result = 0;
    pub const PLUG_STALE: plug_result = 1;
    pub const PLUG_WRONG_TIME: plug_result = 2;
    pub const PLUG_BAD_ARGUMENT: plug_result = 3;
    pub const PLUG_TOO_LARGE: plug_result = 4;
    pub const PLUG_NOT_FOUND: plug_result = 5;
    pub const PLUG_UNSUPPORTED: plug_result = 6;
    pub const PLUG_VERDICT_NEXT: plug_verdict = 0;
    pub const PLUG_VERDICT_RESPOND: plug_verdict = 1;
    pub const PLUG_VERDICT_RESEND: plug_verdict = 2;
    pub const PLUG_VERDICT_HOLD: plug_verdict = 3;
    pub const PLUG_VERDICT_WAIT: plug_verdict = 4;
    pub const PLUG_VERDICT_FAIL: plug_verdict = 5;
    pub const PLUG_VERDICT_FAULT: plug_verdict = 6;
    pub const PLUG_VERDICT_REFUSED: plug_verdict = 7;
    pub const PLUG_VISIT_FIRST: plug_visit = 0;
    pub const PLUG_VISIT_WOKEN: plug_visit = 1;
    pub const PLUG_VISIT_DEADLINE: plug_visit = 2;
    pub const PLUG_VISIT_HELD: plug_visit = 3;
    pub const PLUG_VISIT_OVER_LIMIT: plug_visit = 4;
    pub const PLUG_CLOSE_ENDED: plug_close = 0;
    pub const PLUG_CLOSE_REPLACED: plug_close = 1;
    pub const PLUG_CLOSE_RESENT: plug_close = 2;
    pub const PLUG_CLOSE_FAILED: plug_close = 3;
    pub const PLUG_CLOSE_CANCELLED: plug_close = 4;
    pub const PLUG_ON_REQUEST: plug_hooks = 1;
    pub const PLUG_ON_RESPONSE: plug_hooks = 2;
    pub const PLUG_ON_FAILURE: plug_hooks = 4;
    pub const PLUG_ON_CLOSE: plug_hooks = 8;
    pub const PLUG_ON_EVENT: plug_hooks = 16;
    pub const PLUG_TYPE_BOOL: plug_option_type = 1;
    pub const PLUG_TYPE_INTEGER: plug_option_type = 2;
    pub const PLUG_TYPE_TEXT: plug_option_type = 3;
    pub const PLUG_TYPE_DURATION: plug_option_type = 4;
    pub const PLUG_TYPE_SIZE: plug_option_type = 5;
    pub const PLUG_TYPE_LIST: plug_option_type = 6;
    pub const PLUG_TYPE_MAP: plug_option_type = 7;
    pub const PLUG_FLAG_SECRET: plug_option_flags = 1;
    pub const PLUG_FLAG_REQUIRED: plug_option_flags = 2;
    pub const PLUG_PIECE_BYTES: plug_piece_kind = 0;
    pub const PLUG_PIECE_END: plug_piece_kind = 1;
    pub const PLUG_PIECE_BROKEN: plug_piece_kind = 2;
    pub const PLUG_SUBREQUEST_OUTERMOST: plug_subrequest_flags = 1;
    pub const PLUG_SUBREQUEST_DETACHED: plug_subrequest_flags = 2;
    pub const PLUG_SUBREQUEST_LIKE_EXCHANGE: plug_subrequest_flags = 4;
    pub const PLUG_METRIC_COUNTER: plug_metric_kind = 1;
    pub const PLUG_METRIC_GAUGE: plug_metric_kind = 2;
    pub const PLUG_METRIC_HISTOGRAM: plug_metric_kind = 3;
    pub const PLUG_READY_READ: plug_readiness = 1;
    pub const PLUG_READY_WRITE: plug_readiness = 2;
    pub const PLUG_READY_BROKEN: plug_readiness = 4;
    pub const PLUG_LOG_DEBUG: plug_log_level = 0;
    pub const PLUG_LOG_INFO: plug_log_level = 1;
    pub const PLUG_LOG_WARNING: plug_log_level = 2;
    pub const PLUG_LOG_ERROR: plug_log_level = 3;
    pub const PLUG_LENGTH_UNKNOWN: u64 = u64::MAX;
    pub const PLUG_ATTRIBUTE_OWN: plug_attribute_flags = 1;
    pub const PLUG_ATTRIBUTE_SECRET: plug_attribute_flags = 2;
    pub const PLUG_ROUTE_UNVERIFIED: plug_route_flags = 1;
    pub const PLUG_ROUTE_DETOUR: plug_route_flags = 2;

    pub const PLUG_COMMAND_QUIET: plug_command_flags = 1;
    pub const PLUG_COMMAND_FORGET: &str = "forget";
    pub const PLUG_HOST_QUIET: plug_host_flags = 1;

    pub type plug_command_flags = u32;
    pub type plug_host_flags = u32;
    pub type plug_attribute_flags = u32;
    pub type plug_route_flags = u32;
    pub type plug_loop = u32;
    pub type plug_pull = u64;
    pub type plug_ticket = u64;
    pub type plug_reply = u64;
    pub type plug_timer = u64;
    pub type plug_watch = u64;
    pub type plug_readiness = u32;
    pub type plug_metric_kind = u32;
    pub type plug_metric = u64;
    pub type plug_exchange_id = u64;
    pub type plug_subrequest_id = u64;
    pub type plug_result = u32;
    pub type plug_verdict = u32;
    pub type plug_visit = u32;
    pub type plug_close = u32;
    pub type plug_hooks = u32;
    pub type plug_option_type = u32;
    pub type plug_option_flags = u32;
    pub type plug_piece_kind = u32;
    pub type plug_subrequest_flags = u32;
    pub type plug_log_level = u32;

    pub type plug_release_function = Option<unsafe extern "C" fn(context: *mut c_void)>;
    pub type plug_timer_function = Option<unsafe extern "C" fn(context: *mut c_void)>;
    pub type plug_metric_function = Option<unsafe extern "C" fn(context: *mut c_void, metric: *const plug_metric_v1)>;
    pub type plug_work_function = Option<unsafe extern "C" fn(context: *mut c_void)>;
    pub type plug_done_function = Option<unsafe extern "C" fn(context: *mut c_void)>;
    pub type plug_ready_function =
        Option<unsafe extern "C" fn(context: *mut c_void, watch: plug_watch, ready: plug_readiness)>;
    pub type plug_pull_function = Option<unsafe extern "C" fn(context: *mut c_void, pull: plug_pull)>;
    pub type plug_rewind_function = Option<unsafe extern "C" fn(context: *mut c_void) -> plug_result>;
    pub type plug_piece_function = Option<unsafe extern "C" fn(context: *mut c_void, piece: *const plug_piece_v1)>;
    pub type plug_subresponse_function =
        Option<unsafe extern "C" fn(context: *mut c_void, subresponse: *mut plug_subresponse)>;

    opaque!(plug_exchange);
    opaque!(plug_head);
    opaque!(plug_body);
    opaque!(plug_event);
    opaque!(plug_subresponse);
    opaque!(plug_settings);

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct plug_text {
        pub bytes: *const c_char,
        pub count: u64,
    }

    #[repr(C)]
    pub struct plug_bytes {
        pub bytes: *const c_void,
        pub count: u64,
        pub release: plug_release_function,
        pub context: *mut c_void,
    }

    #[repr(C)]
    pub struct plug_option_v1 {
        pub name: plug_text,
        pub r#type: plug_option_type,
        pub flags: plug_option_flags,
        pub fallback: plug_text,
        pub minimum: i64,
        pub maximum: i64,
        pub choices: plug_text,
        pub documentation: plug_text,
    }

    #[repr(C)]
    pub struct plug_command_v1 {
        pub name: plug_text,
        pub arguments: plug_text,
        pub documentation: plug_text,
        pub flags: plug_command_flags,
    }

    #[repr(C)]
    pub struct plug_plugin_v1 {
        pub abi_revision: u32,
        pub hooks: plug_hooks,
        pub id: plug_text,
        pub version: plug_text,
        pub documentation: plug_text,
        pub priority: i32,
        pub reserved: u32,
        pub before: *const plug_text,
        pub before_count: u64,
        pub after: *const plug_text,
        pub after_count: u64,
        pub events: *const plug_text,
        pub event_count: u64,
        pub settings: *const plug_option_v1,
        pub setting_count: u64,
        pub attributes: *const plug_option_v1,
        pub attribute_count: u64,
        pub commands: *const plug_command_v1,
        pub command_count: u64,
        pub provides: *const plug_text,
        pub provide_count: u64,
        pub needs: *const plug_text,
        pub need_count: u64,
        pub context: *mut c_void,
        pub create:
            Option<unsafe extern "C" fn(host: *const plug_host_v1, settings: *const plug_settings) -> *mut c_void>,
        pub check: Option<
            unsafe extern "C" fn(instance: *mut c_void, attributes: *const plug_field, count: u64) -> plug_result,
        >,
        pub start: Option<unsafe extern "C" fn(instance: *mut c_void) -> plug_result>,
        pub service: Option<unsafe extern "C" fn(instance: *mut c_void, id: plug_text) -> *const c_void>,
        pub stop: Option<unsafe extern "C" fn(instance: *mut c_void, within: i64)>,
        pub destroy: Option<unsafe extern "C" fn(instance: *mut c_void)>,
        pub on_request:
            Option<unsafe extern "C" fn(instance: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict>,
        pub on_response:
            Option<unsafe extern "C" fn(instance: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict>,
        pub on_failure:
            Option<unsafe extern "C" fn(instance: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict>,
        pub on_close:
            Option<unsafe extern "C" fn(instance: *mut c_void, exchange: *mut plug_exchange, outcome: plug_close)>,
        pub on_event:
            Option<unsafe extern "C" fn(instance: *mut c_void, exchange: *mut plug_exchange, event: *const plug_event)>,
        pub command: Option<
            unsafe extern "C" fn(instance: *mut c_void, name: plug_text, arguments: plug_text, reply: plug_reply),
        >,
        pub extension: Option<unsafe extern "C" fn(plugin: *const plug_plugin_v1, id: plug_text) -> *const c_void>,
    }

    #[repr(C)]
    pub struct plug_source_v1 {
        pub context: *mut c_void,
        pub length: u64,
        pub pull: plug_pull_function,
        pub rewind: plug_rewind_function,
        pub release: plug_release_function,
    }

    #[repr(C)]
    pub struct plug_piece_v1 {
        pub kind: plug_piece_kind,
        pub reserved: u32,
        pub bytes: plug_text,
        pub trailers: *mut plug_head,
        pub code: plug_text,
        pub reason: plug_text,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct plug_field {
        pub name: plug_text,
        pub value: plug_text,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct plug_url_parts_v1 {
        pub scheme: plug_text,
        pub userinfo: plug_text,
        pub host: plug_text,
        pub path: plug_text,
        pub query: plug_text,
        pub fragment: plug_text,
        pub port: u32,
        pub reserved: u32,
    }

    #[repr(C)]
    pub struct plug_metric_v1 {
        pub name: plug_text,
        pub labels: *const plug_field,
        pub label_count: u64,
        pub kind: plug_metric_kind,
        pub reserved: u32,
        pub value: i64,
        pub bounds: *const i64,
        pub bound_count: u64,
        pub counts: *const u64,
    }

    #[repr(C)]
    pub struct plug_subrequest_v1 {
        pub method: plug_text,
        pub url: plug_text,
        pub fields: *const plug_field,
        pub field_count: u64,
        pub secrets: *const plug_text,
        pub secret_count: u64,
        pub attributes: *const plug_field,
        pub attribute_count: u64,
        pub options: *const plug_field,
        pub option_count: u64,
        pub body: *mut plug_body,
        pub timeout: i64,
        pub flags: plug_subrequest_flags,
        pub reserved: u32,
        pub id: *mut plug_subrequest_id,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct plug_head_field_v1 {
        pub name: plug_text,
        pub value: plug_text,
        pub flags: plug_option_flags,
        pub reserved: u32,
    }

    #[repr(C)]
    pub struct plug_host_v1 {
        pub abi_revision: u32,
        pub flags: plug_host_flags,
        pub kernel: *mut c_void,
        pub plugin: *const plug_plugin_v1,
        pub version: plug_text,
        pub respond: unsafe extern "C" fn(
            exchange: *mut plug_exchange,
            status: u32,
            fields: *const plug_field,
            count: u64,
            body: *mut plug_body,
        ) -> plug_verdict,
        pub respond_with:
            unsafe extern "C" fn(exchange: *mut plug_exchange, subresponse: *mut plug_subresponse) -> plug_verdict,
        pub resend: unsafe extern "C" fn(exchange: *mut plug_exchange, after: i64) -> plug_verdict,
        pub hold: unsafe extern "C" fn(exchange: *mut plug_exchange, limit: u64) -> plug_verdict,
        pub wait:
            unsafe extern "C" fn(exchange: *mut plug_exchange, within: i64, ticket: *mut plug_ticket) -> plug_verdict,
        pub fail:
            unsafe extern "C" fn(exchange: *mut plug_exchange, code: plug_text, reason: plug_text) -> plug_verdict,
        pub fault: unsafe extern "C" fn(exchange: *mut plug_exchange, reason: plug_text) -> plug_verdict,
        pub visit: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_visit,
        pub exchange_id: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_exchange_id,
        pub attempt: unsafe extern "C" fn(exchange: *mut plug_exchange) -> u32,
        pub request: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut plug_head,
        pub response: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut plug_head,
        pub failure: unsafe extern "C" fn(
            exchange: *mut plug_exchange,
            code: *mut plug_text,
            reason: *mut plug_text,
        ) -> plug_result,
        pub can_resend: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_result,
        pub resolve_url: unsafe extern "C" fn(exchange: *mut plug_exchange, reference: plug_text) -> plug_text,
        pub sender: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_text,
        pub option_at: unsafe extern "C" fn(
            exchange: *mut plug_exchange,
            index: u64,
            option: *mut plug_field,
            flags: *mut plug_option_flags,
        ) -> plug_result,
        pub route: unsafe extern "C" fn(exchange: *mut plug_exchange, flags: *mut plug_route_flags) -> plug_text,
        pub own_routes: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_text,
        pub url_parts: unsafe extern "C" fn(url: plug_text, parts: *mut plug_url_parts_v1) -> plug_result,
        pub attribute: unsafe extern "C" fn(exchange: *mut plug_exchange, name: plug_text) -> plug_text,
        pub attribute_at:
            unsafe extern "C" fn(exchange: *mut plug_exchange, index: u64, attribute: *mut plug_field) -> plug_result,
        pub set_attribute:
            unsafe extern "C" fn(exchange: *mut plug_exchange, name: plug_text, value: plug_text) -> plug_result,
        pub attribute_flags: unsafe extern "C" fn(exchange: *mut plug_exchange, name: plug_text) -> plug_attribute_flags,
        pub set_turn_state: unsafe extern "C" fn(
            exchange: *mut plug_exchange,
            state: *mut c_void,
            release: plug_release_function,
        ) -> plug_result,
        pub turn_state: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut c_void,
        pub set_exchange_state: unsafe extern "C" fn(
            exchange: *mut plug_exchange,
            state: *mut c_void,
            release: plug_release_function,
        ) -> plug_result,
        pub exchange_state: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut c_void,
        pub method: unsafe extern "C" fn(head: *const plug_head) -> plug_text,
        pub set_method: unsafe extern "C" fn(head: *mut plug_head, method: plug_text) -> plug_result,
        pub url: unsafe extern "C" fn(head: *const plug_head) -> plug_text,
        pub set_url: unsafe extern "C" fn(head: *mut plug_head, url: plug_text) -> plug_result,
        pub status: unsafe extern "C" fn(head: *const plug_head) -> u32,
        pub set_status: unsafe extern "C" fn(head: *mut plug_head, status: u32) -> plug_result,
        pub field_count: unsafe extern "C" fn(head: *const plug_head) -> u64,
        pub field_at: unsafe extern "C" fn(head: *const plug_head, index: u64, field: *mut plug_field) -> plug_result,
        pub read_fields: unsafe extern "C" fn(
            head: *const plug_head,
            first: u64,
            fields: *mut plug_head_field_v1,
            count: u64,
        ) -> u64,
        pub field: unsafe extern "C" fn(head: *const plug_head, name: plug_text) -> plug_text,
        pub set_field: unsafe extern "C" fn(head: *mut plug_head, name: plug_text, value: plug_text) -> plug_result,
        pub add_field: unsafe extern "C" fn(head: *mut plug_head, name: plug_text, value: plug_text) -> plug_result,
        pub remove_field: unsafe extern "C" fn(head: *mut plug_head, name: plug_text) -> plug_result,
        pub mark_secret: unsafe extern "C" fn(head: *mut plug_head, name: plug_text) -> plug_result,
        pub is_secret: unsafe extern "C" fn(head: *const plug_head, index: u64) -> u32,
        pub body_of_bytes: unsafe extern "C" fn(host: *const plug_host_v1, bytes: plug_bytes) -> *mut plug_body,
        pub body_of_source:
            unsafe extern "C" fn(host: *const plug_host_v1, source: *const plug_source_v1) -> *mut plug_body,
        pub body_length: unsafe extern "C" fn(body: *const plug_body) -> u64,
        pub body_can_rewind: unsafe extern "C" fn(body: *const plug_body) -> u32,
        pub body_pull: unsafe extern "C" fn(
            body: *mut plug_body,
            context: *mut c_void,
            pulled: plug_piece_function,
        ) -> plug_result,
        pub body_rewind: unsafe extern "C" fn(body: *mut plug_body) -> plug_result,
        pub body_release: unsafe extern "C" fn(body: *mut plug_body),
        pub pull_give:
            unsafe extern "C" fn(host: *const plug_host_v1, pull: plug_pull, bytes: plug_bytes) -> plug_result,
        pub pull_end: unsafe extern "C" fn(
            host: *const plug_host_v1,
            pull: plug_pull,
            trailers: *const plug_field,
            count: u64,
        ) -> plug_result,
        pub pull_fail: unsafe extern "C" fn(
            host: *const plug_host_v1,
            pull: plug_pull,
            code: plug_text,
            reason: plug_text,
        ) -> plug_result,
        pub pull_forward: unsafe extern "C" fn(
            host: *const plug_host_v1,
            pull: plug_pull,
            piece: *const plug_piece_v1,
        ) -> plug_result,
        pub piece_keep: unsafe extern "C" fn(
            host: *const plug_host_v1,
            piece: *const plug_piece_v1,
            bytes: *mut plug_bytes,
        ) -> plug_result,
        pub take_request_body: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut plug_body,
        pub set_request_body: unsafe extern "C" fn(exchange: *mut plug_exchange, body: *mut plug_body) -> plug_result,
        pub take_response_body: unsafe extern "C" fn(exchange: *mut plug_exchange) -> *mut plug_body,
        pub set_response_body: unsafe extern "C" fn(exchange: *mut plug_exchange, body: *mut plug_body) -> plug_result,
        pub held_body: unsafe extern "C" fn(exchange: *mut plug_exchange) -> plug_text,
        pub whole_response_body: unsafe extern "C" fn(exchange: *mut plug_exchange, bytes: *mut plug_text) -> u32,
        pub wake: unsafe extern "C" fn(host: *const plug_host_v1, ticket: plug_ticket) -> plug_result,
        pub send_subrequest: unsafe extern "C" fn(
            host: *const plug_host_v1,
            exchange: plug_exchange_id,
            subrequest: *const plug_subrequest_v1,
            context: *mut c_void,
            completed: plug_subresponse_function,
        ) -> plug_result,
        pub cancel_subrequest: unsafe extern "C" fn(host: *const plug_host_v1, id: plug_subrequest_id) -> plug_result,
        pub subresponse_head: unsafe extern "C" fn(subresponse: *mut plug_subresponse) -> *mut plug_head,
        pub subresponse_failure: unsafe extern "C" fn(
            subresponse: *mut plug_subresponse,
            code: *mut plug_text,
            reason: *mut plug_text,
        ) -> plug_result,
        pub subresponse_attempts: unsafe extern "C" fn(subresponse: *mut plug_subresponse) -> u32,
        pub subresponse_take_body: unsafe extern "C" fn(subresponse: *mut plug_subresponse) -> *mut plug_body,
        pub subresponse_keep: unsafe extern "C" fn(subresponse: *mut plug_subresponse),
        pub subresponse_release: unsafe extern "C" fn(subresponse: *mut plug_subresponse),
        pub publish_event: unsafe extern "C" fn(
            host: *const plug_host_v1,
            exchange: plug_exchange_id,
            id: plug_text,
            details: *const plug_field,
            count: u64,
        ) -> plug_result,
        pub event_id: unsafe extern "C" fn(event: *const plug_event) -> plug_text,
        pub event_text: unsafe extern "C" fn(event: *const plug_event, name: plug_text) -> plug_text,
        pub event_integer:
            unsafe extern "C" fn(event: *const plug_event, name: plug_text, value: *mut i64) -> plug_result,
        pub event_detail_at:
            unsafe extern "C" fn(event: *const plug_event, index: u64, detail: *mut plug_field) -> plug_result,
        pub event_head: unsafe extern "C" fn(event: *const plug_event) -> *const plug_head,
        pub setting_integer:
            unsafe extern "C" fn(settings: *const plug_settings, name: plug_text, value: *mut i64) -> plug_result,
        pub setting_text:
            unsafe extern "C" fn(settings: *const plug_settings, name: plug_text, value: *mut plug_text) -> plug_result,
        pub setting_item: unsafe extern "C" fn(
            settings: *const plug_settings,
            name: plug_text,
            index: u64,
            item: *mut plug_field,
        ) -> plug_result,
        pub refuse: unsafe extern "C" fn(host: *const plug_host_v1, reason: plug_text),
        pub log: unsafe extern "C" fn(host: *const plug_host_v1, level: plug_log_level, text: plug_text),
        pub log_level: unsafe extern "C" fn(host: *const plug_host_v1) -> plug_log_level,
        pub now: unsafe extern "C" fn(host: *const plug_host_v1) -> i64,
        pub wall_clock: unsafe extern "C" fn(host: *const plug_host_v1) -> i64,
        pub random: unsafe extern "C" fn(host: *const plug_host_v1, bytes: *mut c_void, count: u64),
        pub data_directory: unsafe extern "C" fn(host: *const plug_host_v1) -> plug_text,
        pub data_path: unsafe extern "C" fn(host: *const plug_host_v1) -> plug_text,
        pub configuration_directory: unsafe extern "C" fn(host: *const plug_host_v1) -> plug_text,
        pub configured_route: unsafe extern "C" fn(
            host: *const plug_host_v1,
            url: plug_text,
            options: *const plug_field,
            option_count: u64,
            flags: *mut plug_route_flags,
        ) -> plug_text,
        pub current_loop: unsafe extern "C" fn(host: *const plug_host_v1) -> plug_loop,
        pub start_timer: unsafe extern "C" fn(
            host: *const plug_host_v1,
            loop_: plug_loop,
            after: i64,
            context: *mut c_void,
            fired: plug_timer_function,
        ) -> plug_timer,
        pub cancel_timer: unsafe extern "C" fn(host: *const plug_host_v1, timer: plug_timer) -> plug_result,
        pub watch: unsafe extern "C" fn(
            host: *const plug_host_v1,
            loop_: plug_loop,
            descriptor: i32,
            wanted: plug_readiness,
            context: *mut c_void,
            ready: plug_ready_function,
            release: plug_release_function,
        ) -> plug_watch,
        pub rewatch:
            unsafe extern "C" fn(host: *const plug_host_v1, watch: plug_watch, wanted: plug_readiness) -> plug_result,
        pub unwatch: unsafe extern "C" fn(host: *const plug_host_v1, watch: plug_watch) -> plug_result,
        pub run_blocking: unsafe extern "C" fn(
            host: *const plug_host_v1,
            loop_: plug_loop,
            context: *mut c_void,
            work: plug_work_function,
            done: plug_done_function,
        ) -> plug_result,
        pub service: unsafe extern "C" fn(host: *const plug_host_v1, id: plug_text) -> *const c_void,
        pub counter: unsafe extern "C" fn(host: *const plug_host_v1, name: plug_text) -> plug_metric,
        pub metric: unsafe extern "C" fn(
            host: *const plug_host_v1,
            kind: plug_metric_kind,
            name: plug_text,
            labels: *const plug_field,
            label_count: u64,
            bounds: *const i64,
            bound_count: u64,
        ) -> plug_metric,
        pub metric_add: unsafe extern "C" fn(host: *const plug_host_v1, metric: plug_metric, delta: i64),
        pub metric_set: unsafe extern "C" fn(host: *const plug_host_v1, metric: plug_metric, value: i64),
        pub metric_observe: unsafe extern "C" fn(host: *const plug_host_v1, metric: plug_metric, value: i64),
        pub read_metrics:
            unsafe extern "C" fn(host: *const plug_host_v1, context: *mut c_void, read: plug_metric_function),
        pub argument_integer: unsafe extern "C" fn(
            host: *const plug_host_v1,
            reply: plug_reply,
            name: plug_text,
            value: *mut i64,
        ) -> plug_result,
        pub argument_text: unsafe extern "C" fn(
            host: *const plug_host_v1,
            reply: plug_reply,
            name: plug_text,
            value: *mut plug_text,
        ) -> plug_result,
        pub argument_item: unsafe extern "C" fn(
            host: *const plug_host_v1,
            reply: plug_reply,
            name: plug_text,
            index: u64,
            item: *mut plug_field,
        ) -> plug_result,
        pub reply_json:
            unsafe extern "C" fn(host: *const plug_host_v1, reply: plug_reply, json: plug_text) -> plug_result,
        pub reply_body:
            unsafe extern "C" fn(host: *const plug_host_v1, reply: plug_reply, body: *mut plug_body) -> plug_result,
        pub reply_fail: unsafe extern "C" fn(
            host: *const plug_host_v1,
            reply: plug_reply,
            code: plug_text,
            reason: plug_text,
        ) -> plug_result,
        pub extension: unsafe extern "C" fn(host: *const plug_host_v1, id: plug_text) -> *const c_void,
    }
}

use raw::*;

const fn text(text: &str) -> plug_text {
    plug_text { bytes: text.as_ptr() as *const c_char, count: text.len() as u64 }
}

fn bytes_text(bytes: &[u8]) -> plug_text {
    plug_text { bytes: bytes.as_ptr() as *const c_char, count: bytes.len() as u64 }
}

/// The caller decides how long it is valid.
unsafe fn view<'a>(text: plug_text) -> Option<&'a [u8]> {
    if text.bytes.is_null() {
        return None;
    }
    Some(std::slice::from_raw_parts(text.bytes as *const u8, text.count as usize))
}

unsafe fn string(text: plug_text) -> String {
    String::from_utf8_lossy(view(text).unwrap_or_default()).into_owned()
}

fn nanoseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

fn duration(nanoseconds: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0))
}

pub type Fields = Vec<(String, Vec<u8>)>;

/// Valid as long as the fields.
fn raw_fields(fields: &[(String, Vec<u8>)]) -> Vec<plug_field> {
    fields.iter().map(|(name, value)| plug_field { name: text(name), value: bytes_text(value) }).collect()
}

/// A function of the host returned something else than PLUG_OK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub function: &'static str,
    pub code: plug_result,
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} returned {}", self.function, self.code)
    }
}

impl StdError for Error {}

fn check(function: &'static str, code: plug_result) -> Result<(), Error> {
    if code == PLUG_OK {
        Ok(())
    } else {
        Err(Error { function, code })
    }
}

// ------------------------------------------------------------------------------------------------ The barrier

thread_local! {
    /// Pulls and replies that a panic drops, while this thread is within the barrier: they are completed when the
    /// panic's message is known.
    static LEFT: RefCell<Option<Vec<Owed>>> = RefCell::new(None);
}

/// A pull or a reply that the plugin has to complete.
#[derive(Clone, Copy)]
enum Owed {
    Pull(Host, plug_pull),
    Reply(Host, plug_reply),
}

impl Owed {
    const LOST: &'static str = "The plugin gave no result; if it broke, its log says how.";

    /// A pull or a reply is dropped before it was completed.
    fn drop_open(self) {
        let is_left = std::thread::panicking()
            && LEFT
                .try_with(|left| match left.borrow_mut().as_mut() {
                    Some(left) => {
                        left.push(self);
                        true
                    }
                    None => false,
                })
                .unwrap_or(false);
        if !is_left {
            self.fail(Owed::LOST);
        }
    }

    fn fail(self, reason: &str) {
        match self {
            Owed::Pull(host, number) => unsafe {
                (host.table().pull_fail)(host.0, number, text("plugin.fault"), text(reason))
            },
            Owed::Reply(host, number) => unsafe {
                (host.table().reply_fail)(host.0, number, text("command.failed"), text(reason))
            },
        };
    }
}

/// Calls `body`; a panic becomes a sentence, with which the pulls and replies that it dropped fail. The panic's own
/// message was printed by the panic hook.
fn guarded<Result>(body: impl FnOnce() -> Result) -> std::result::Result<Result, String> {
    let outer = LEFT.with(|left| left.replace(Some(Vec::new())));
    let result = catch_unwind(AssertUnwindSafe(body)).map_err(|payload| match payload.downcast::<&str>() {
        Ok(text) => format!("it panicked: {}", text),
        Err(payload) => match payload.downcast::<String>() {
            Ok(text) => format!("it panicked: {}", text),
            Err(payload) => {
                // Dropping a payload of unknown type could panic again, outside of the barrier.
                std::mem::forget(payload);
                "it panicked".to_string()
            }
        },
    });
    for owed in LEFT.with(|left| left.replace(outer)).unwrap_or_default() {
        // Without an error, the plugin has caught the panic itself.
        owed.fail(result.as_ref().err().map_or(Owed::LOST, |what| what));
    }
    result
}

// ------------------------------------------------------------------------------------------------ The host

/// The kernel as this plugin sees it; a copy is the same. Valid as long as the plugin. [any]
#[derive(Clone, Copy)]
pub struct Host(*const plug_host_v1);

// The table is constant, and the functions used here are tagged [any].
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Warning,
    Error,
}

impl Host {
    pub fn raw(&self) -> *const plug_host_v1 {
        self.0
    }

    fn table(&self) -> &plug_host_v1 {
        unsafe { &*self.0 }
    }

    pub fn log(&self, level: Level, line: &str) {
        unsafe { (self.table().log)(self.0, level as u32, text(line)) }
    }

    pub fn prints(&self, level: Level) -> bool {
        level as u32 >= unsafe { (self.table().log_level)(self.0) }
    }

    /// The monotonic time. Its zero has no meaning.
    pub fn now(&self) -> Duration {
        duration(unsafe { (self.table().now)(self.0) })
    }

    /// Since 1970-01-01 00:00 UTC.
    pub fn wall_clock(&self) -> Duration {
        duration(unsafe { (self.table().wall_clock)(self.0) })
    }

    /// Fit for keys.
    pub fn random(&self, bytes: &mut [u8]) {
        unsafe { (self.table().random)(self.0, bytes.as_mut_ptr() as *mut c_void, bytes.len() as u64) }
    }

    /// A folder that only this plugin uses; None if it cannot be made.
    pub fn data_directory(&self) -> Option<String> {
        let path = unsafe { (self.table().data_directory)(self.0) };
        if path.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(path) })
    }

    /// The folder where relative paths begin that the configuration gives, in settings and in attributes; None if it is
    /// gone.
    pub fn configuration_directory(&self) -> Option<String> {
        let path = unsafe { (self.table().configuration_directory)(self.0) };
        if path.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(path) })
    }

    /// The path of the folder that `data_directory` is when the plugin is started; it may not exist. For `create`,
    /// which a check of a configuration calls, too: read there, and never write.
    pub fn data_path(&self) -> Option<String> {
        let path = unsafe { (self.table().data_path)(self.0) };
        if path.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(path) })
    }

    /// Whether the plugin begins nothing by itself: the program was started for one of its commands that are
    /// `quiet`.
    pub fn is_quiet(&self) -> bool {
        self.table().flags & PLUG_HOST_QUIET != 0
    }

    /// The kernel's version: major.minor.patch.
    pub fn kernel_version(&self) -> String {
        unsafe { string(self.table().version) }
    }

    /// A number that operators can read as `ID.name`; the same name is the same counter.
    pub fn counter(&self, name: &str) -> Counter {
        self.counter_with(name, &[])
    }

    /// The same with labels: names and values.
    ///
    /// A plugin has at most 2000 metrics; what is beyond counts nothing, and so does a name that is another kind of
    /// metric already.
    pub fn counter_with(&self, name: &str, labels: &[(&str, &str)]) -> Counter {
        Counter { host: *self, number: self.metric(PLUG_METRIC_COUNTER, name, labels, &[]) }
    }

    /// A gauge, in the same way.
    pub fn gauge(&self, name: &str, labels: &[(&str, &str)]) -> Gauge {
        Gauge { host: *self, number: self.metric(PLUG_METRIC_GAUGE, name, labels, &[]) }
    }

    /// A histogram, in the same way, with 1 to 64 rising bounds.
    pub fn histogram(&self, name: &str, labels: &[(&str, &str)], bounds: &[i64]) -> Histogram {
        Histogram { host: *self, number: self.metric(PLUG_METRIC_HISTOGRAM, name, labels, bounds) }
    }

    fn metric(&self, kind: plug_metric_kind, name: &str, labels: &[(&str, &str)], bounds: &[i64]) -> plug_metric {
        let fields: Vec<_> =
            labels.iter().map(|(name, value)| plug_field { name: text(name), value: text(value) }).collect();
        let (count, bound_count) = (fields.len() as u64, bounds.len() as u64);
        unsafe {
            (self.table().metric)(self.0, kind, text(name), fields.as_ptr(), count, bounds.as_ptr(), bound_count)
        }
    }

    /// The metrics of all plugins and of the kernel, in the order of their names: for exporters.
    pub fn metrics(&self) -> Vec<Metric> {
        unsafe extern "C" fn read(context: *mut c_void, metric: *const plug_metric_v1) {
            (*(context as *mut Vec<Metric>)).push(Metric::new(&*metric));
        }
        let mut metrics: Vec<Metric> = Vec::new();
        unsafe { (self.table().read_metrics)(self.0, &mut metrics as *mut _ as *mut c_void, Some(read)) }
        metrics
    }

    /// The parts of an absolute http or https URL; None for another text.
    pub fn url_parts<'a>(&self, url: &'a str) -> Option<UrlParts<'a>> {
        let none = plug_text { bytes: ptr::null(), count: 0 };
        let mut parts = plug_url_parts_v1 {
            scheme: none,
            userinfo: none,
            host: none,
            path: none,
            query: none,
            fragment: none,
            port: 0,
            reserved: 0,
        };
        if unsafe { (self.table().url_parts)(text(url), &mut parts) } != PLUG_OK {
            return None;
        }
        // Within `url`, and cut at characters.
        let part = |part| unsafe { view::<'a>(part) }.and_then(|bytes| std::str::from_utf8(bytes).ok());
        Some(UrlParts {
            scheme: part(parts.scheme).unwrap_or_default(),
            userinfo: part(parts.userinfo),
            host: part(parts.host).unwrap_or_default(),
            path: part(parts.path).unwrap_or_default(),
            query: part(parts.query),
            fragment: part(parts.fragment),
            port: parts.port,
        })
    }

    /// The service of an id that `needs` lists, from `start` on; its id says what `Table` is.
    ///
    /// Null for another id, and for one with `?` that no plugin provides. Valid as long as the plugin.
    pub fn service<Table>(&self, id: &str) -> *const Table {
        unsafe { (self.table().service)(self.0, text(id)) as *const Table }
    }

    /// Publishes a fact under the plugin's own id, of an exchange (by its id) or of the kernel (0).
    pub fn publish(&self, id: &str, exchange: plug_exchange_id, details: &[(String, Vec<u8>)]) -> Result<(), Error> {
        let fields = raw_fields(details);
        check("publish_event", unsafe {
            (self.table().publish_event)(self.0, exchange, text(id), fields.as_ptr(), fields.len() as u64)
        })
    }

    /// The loop on which this is called; 0 on other threads.
    ///
    /// A kernel may have several loops, and each exchange, with its bodies, is on one of them: threads of the plugin
    /// get back to it with `after_on`.
    pub fn current_loop(&self) -> plug_loop {
        unsafe { (self.table().current_loop)(self.0) }
    }

    /// Calls `fired` once on a loop, after a time, unless the timer is cancelled or the instance is destroyed before:
    /// on the loop where this is called, and on other threads on the first. Works from `start` on; before that it never
    /// calls.
    pub fn after(&self, delay: Duration, fired: impl FnOnce() + Send + 'static) -> Timer {
        self.after_on(0, delay, fired)
    }

    /// The same on this loop, from `current_loop`.
    pub fn after_on(&self, on: plug_loop, delay: Duration, fired: impl FnOnce() + Send + 'static) -> Timer {
        unsafe extern "C" fn run(context: *mut c_void) {
            if let Some((host, fired)) = Pending::take(context as usize) {
                if let Err(what) = guarded(fired) {
                    host.log(Level::Error, &what);
                }
            }
        }
        let pending = Pending::add(*self, Box::new(fired));
        let (delay, context) = (nanoseconds(delay), pending as *mut c_void);
        let number = unsafe { (self.table().start_timer)(self.0, on, delay, context, Some(run)) };
        if number == 0 {
            drop(Pending::take(pending));
            self.log(Level::Error, "A timer was not started: timers work from start on, until the kernel ends.");
        }
        Timer { host: *self, number, pending }
    }

    /// Watches a descriptor that the plugin has opened and that does not block (O_NONBLOCK), on this loop; 0: where
    /// this is called, and on other threads on the first. [any]
    ///
    /// Calls `ready` there with the watch and `PLUG_READY_…` as long as the descriptor is ready for some of `wanted`; a
    /// panic in it is logged and ends the watch. `released` is the last call, after [`Watch::cancel`], after the plugin
    /// is switched off and at the kernel's end: it closes the descriptor. None, with nothing called, before `start` and
    /// when the kernel has ended.
    pub fn watch(
        &self,
        on: plug_loop,
        descriptor: i32,
        wanted: plug_readiness,
        ready: impl FnMut(Watch, plug_readiness) + Send + 'static,
        released: impl FnOnce() + Send + 'static,
    ) -> Option<Watch> {
        struct Call {
            host: Host,
            ready: Box<dyn FnMut(Watch, plug_readiness) + Send>,
            released: Box<dyn FnOnce() + Send>,
        }
        unsafe extern "C" fn run(context: *mut c_void, number: plug_watch, flags: plug_readiness) {
            let call = &mut *(context as *mut Call);
            let watch = Watch { host: call.host, number };
            if let Err(what) = guarded(|| (call.ready)(watch, flags)) {
                call.host.log(Level::Error, &what);
                // The descriptor stays ready, so it would panic again without end.
                watch.cancel();
            }
        }
        unsafe extern "C" fn release(context: *mut c_void) {
            let Call { host, ready, released } = *Box::from_raw(context as *mut Call);
            if let Err(what) = guarded(|| {
                released();
                drop(ready);
            }) {
                host.log(Level::Error, &what);
            }
        }
        let (ready, released) = (Box::new(ready), Box::new(released));
        let context = Box::into_raw(Box::new(Call { host: *self, ready, released }));
        let number = unsafe {
            (self.table().watch)(self.0, on, descriptor, wanted, context as *mut c_void, Some(run), Some(release))
        };
        if number == 0 {
            // Refused, so that nothing is called.
            drop(unsafe { Box::from_raw(context) });
            return None;
        }
        Some(Watch { host: *self, number })
    }

    /// Calls `work` on a thread where it may block, and then `done` on this loop, as in `watch`; each once, also if
    /// `work` panics. A panic in them is logged. An error, with nothing called, before `start` and from `stop` on.
    /// [any]
    pub fn run_blocking(
        &self,
        on: plug_loop,
        work: impl FnOnce() + Send + 'static,
        done: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        type Call = (Host, Option<Job>, Job);
        unsafe extern "C" fn run(context: *mut c_void) {
            let call = &mut *(context as *mut Call);
            if let Some(work) = call.1.take() {
                if let Err(what) = guarded(work) {
                    call.0.log(Level::Error, &what);
                }
            }
        }
        unsafe extern "C" fn end(context: *mut c_void) {
            let (host, _, done) = *Box::from_raw(context as *mut Call);
            if let Err(what) = guarded(done) {
                host.log(Level::Error, &what);
            }
        }
        let call: Box<Call> = Box::new((*self, Some(Box::new(work)), Box::new(done)));
        let context = Box::into_raw(call);
        let code = unsafe { (self.table().run_blocking)(self.0, on, context as *mut c_void, Some(run), Some(end)) };
        if code != PLUG_OK {
            // Refused, so that nothing is called.
            drop(unsafe { Box::from_raw(context) });
        }
        check("run_blocking", code)
    }

    /// Sends a request of the plugin's own, for the exchange with this id, or for none (0): then it must be detached.
    ///
    /// `completed` is called once, on the loop, also when it is cancelled. What it takes from the exchange: see
    /// `plug_subrequest_v1` in plugboard.h. [any]
    pub fn send(
        &self,
        request: Request,
        exchange: plug_exchange_id,
        completed: impl FnOnce(SubResponse) + Send + 'static,
    ) -> Result<SubRequest, Error> {
        type Call = (Host, Box<dyn FnOnce(SubResponse) + Send>);
        unsafe extern "C" fn run(context: *mut c_void, subresponse: *mut plug_subresponse) {
            let (host, completed) = *Box::from_raw(context as *mut Call);
            let subresponse = SubResponse::keep(host, subresponse);
            if let Err(what) = guarded(|| completed(subresponse)) {
                host.log(Level::Error, &what);
            }
        }
        let (fields, attributes) = (raw_fields(&request.fields), raw_fields(&request.attributes));
        let options = raw_fields(&request.options);
        let secrets: Vec<plug_text> = request.secrets.iter().map(|name| text(name)).collect();
        let mut number = 0;
        let described = plug_subrequest_v1 {
            method: text(&request.method),
            url: text(&request.url),
            fields: fields.as_ptr(),
            field_count: fields.len() as u64,
            secrets: secrets.as_ptr(),
            secret_count: secrets.len() as u64,
            attributes: attributes.as_ptr(),
            attribute_count: attributes.len() as u64,
            options: options.as_ptr(),
            option_count: options.len() as u64,
            // Taken over, also where the kernel refuses the request.
            body: raw_body(request.body),
            timeout: request.timeout.map_or(0, nanoseconds),
            flags: if request.is_outermost { PLUG_SUBREQUEST_OUTERMOST } else { 0 }
                | if request.is_detached { PLUG_SUBREQUEST_DETACHED } else { 0 }
                | if request.is_like_exchange { PLUG_SUBREQUEST_LIKE_EXCHANGE } else { 0 },
            reserved: 0,
            id: &mut number,
        };
        let call: Box<Call> = Box::new((*self, Box::new(completed)));
        let context = Box::into_raw(call);
        let code =
            unsafe { (self.table().send_subrequest)(self.0, exchange, &described, context as *mut c_void, Some(run)) };
        if code != PLUG_OK {
            // Refused, so that `run` is not called.
            drop(unsafe { Box::from_raw(context) });
        }
        check("send_subrequest", code).map(|()| SubRequest { host: *self, number })
    }
}

/// A copy is the same.
#[derive(Clone, Copy)]
pub struct Counter {
    host: Host,
    number: plug_metric,
}

impl Counter {
    /// [any]
    pub fn add(&self, delta: i64) {
        unsafe { (self.host.table().metric_add)(self.host.0, self.number, delta) }
    }
}

/// A number that rises and falls; a copy is the same.
#[derive(Clone, Copy)]
pub struct Gauge {
    host: Host,
    number: plug_metric,
}

impl Gauge {
    /// [any]
    pub fn add(&self, delta: i64) {
        unsafe { (self.host.table().metric_add)(self.host.0, self.number, delta) }
    }

    /// [any]
    pub fn set(&self, value: i64) {
        unsafe { (self.host.table().metric_set)(self.host.0, self.number, value) }
    }
}

/// How often values were within bounds; a copy is the same.
#[derive(Clone, Copy)]
pub struct Histogram {
    host: Host,
    number: plug_metric,
}

impl Histogram {
    /// [any]
    pub fn observe(&self, value: i64) {
        unsafe { (self.host.table().metric_observe)(self.host.0, self.number, value) }
    }

    /// A time, in nanoseconds. [any]
    pub fn observe_time(&self, time: Duration) {
        self.observe(nanoseconds(time))
    }
}

/// A metric as it was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// `ID.name`.
    pub name: String,
    /// In the order of their names.
    pub labels: Vec<(String, String)>,
    /// `PLUG_METRIC_…`.
    pub kind: plug_metric_kind,
    /// Of a counter and a gauge; of a histogram the sum of its values.
    pub value: i64,
    /// Of a histogram, rising.
    pub bounds: Vec<i64>,
    /// Of a histogram: how many values are up to each bound and above the one before it, and last how many are above
    /// all bounds.
    pub counts: Vec<u64>,
}

impl Metric {
    unsafe fn new(raw: &plug_metric_v1) -> Metric {
        let count = |count: u64| 0..count as usize;
        let is_histogram = raw.kind == PLUG_METRIC_HISTOGRAM;
        Metric {
            name: string(raw.name),
            labels: count(raw.label_count)
                .map(|index| *raw.labels.add(index))
                .map(|label| (string(label.name), string(label.value)))
                .collect(),
            kind: raw.kind,
            value: raw.value,
            bounds: count(raw.bound_count).map(|index| *raw.bounds.add(index)).collect(),
            counts: count(if is_histogram { raw.bound_count + 1 } else { 0 })
                .map(|index| *raw.counts.add(index))
                .collect(),
        }
    }
}

/// The parts of a URL as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlParts<'a> {
    pub scheme: &'a str,
    pub userinfo: Option<&'a str>,
    /// An IPv6 address with its brackets.
    pub host: &'a str,
    pub path: &'a str,
    /// Without `?`.
    pub query: Option<&'a str>,
    /// Without `#`.
    pub fragment: Option<&'a str>,
    /// The one of the scheme where none is written.
    pub port: u32,
}

/// A descriptor that is watched; a copy is the same. The watch does not depend on this value.
#[derive(Clone, Copy)]
pub struct Watch {
    host: Host,
    number: plug_watch,
}

impl Watch {
    /// Watches for this (`PLUG_READY_…`) from here on; 0: for nothing. Returns false once it is not watched any more.
    /// [any]
    pub fn change(&self, wanted: plug_readiness) -> bool {
        unsafe { (self.host.table().rewatch)(self.host.0, self.number, wanted) == PLUG_OK }
    }

    /// `released` follows, never within this call. Returns false the second time. [any]
    pub fn cancel(&self) -> bool {
        unsafe { (self.host.table().unwatch)(self.host.0, self.number) == PLUG_OK }
    }
}

// -------------------------------------------------------------------------------------------------- Timers

/// The closures of the timers of all instances. The kernel holds only their numbers, and hands one back when its timer
/// is due. Closures whose timers are not due when their instance is destroyed are dropped here.
struct Pending {
    last: usize,
    /// Made with the first timer.
    jobs: Option<HashMap<usize, (Host, Job)>>,
}

type Job = Box<dyn FnOnce() + Send>;

static PENDING: Mutex<Pending> = Mutex::new(Pending { last: 0, jobs: None });

impl Pending {
    fn lock() -> MutexGuard<'static, Pending> {
        PENDING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(host: Host, job: Job) -> usize {
        let mut pending = Pending::lock();
        pending.last += 1;
        let number = pending.last;
        pending.jobs.get_or_insert_with(HashMap::new).insert(number, (host, job));
        number
    }

    /// None if it was taken before.
    fn take(number: usize) -> Option<(Host, Job)> {
        Pending::lock().jobs.as_mut()?.remove(&number)
    }

    /// Drop the result outside of the lock: its destructor may use timers.
    fn take_all(host: Host) -> Vec<(Host, Job)> {
        let mut pending = Pending::lock();
        let jobs = match &mut pending.jobs {
            Some(jobs) => jobs,
            None => return Vec::new(),
        };
        let of_host = jobs.iter().filter(|(_, (owner, _))| owner.0 == host.0);
        let numbers: Vec<usize> = of_host.map(|(number, _)| *number).collect();
        numbers.iter().filter_map(|number| jobs.remove(number)).collect()
    }
}

/// A timer that was started; a copy is the same. The timer does not depend on this value.
#[derive(Clone, Copy)]
pub struct Timer {
    host: Host,
    number: plug_timer,
    pending: usize,
}

impl Timer {
    /// Returns false if it has run or is running. [any]
    pub fn cancel(&self) -> bool {
        if unsafe { (self.host.table().cancel_timer)(self.host.0, self.number) } != PLUG_OK {
            return false;
        }
        drop(Pending::take(self.pending));
        true
    }
}

/// A sub-request under way; a copy is the same. The sub-request does not depend on this value.
#[derive(Clone, Copy)]
pub struct SubRequest {
    host: Host,
    number: plug_subrequest_id,
}

impl SubRequest {
    /// `completed` is still called once, with the failure `cancelled`, or with what came at the same time. Returns
    /// false if it was called already. [any]
    pub fn cancel(&self) -> bool {
        unsafe { (self.host.table().cancel_subrequest)(self.host.0, self.number) == PLUG_OK }
    }
}

/// An exchange that waits.
#[derive(Clone, Copy)]
pub struct Ticket {
    host: Host,
    number: plug_ticket,
}

impl Ticket {
    /// Lets the waiting hook run again; false if it does not wait any more. [any]
    pub fn wake(&self) -> bool {
        unsafe { (self.host.table().wake)(self.host.0, self.number) == PLUG_OK }
    }
}

/// The plugin's settings, checked against its table. Valid within `create`.
///
/// A name that the table does not list is an error of the plugin's author, and panics.
pub struct Settings<'a> {
    host: Host,
    raw: *const plug_settings,
    life: PhantomData<&'a plug_settings>,
}

impl Settings<'_> {
    /// A bool (0 or 1), an integer, a size in bytes, or a duration in nanoseconds.
    pub fn integer(&self, name: &str) -> i64 {
        let mut value = 0;
        let code = unsafe { (self.host.table().setting_integer)(self.raw, text(name), &mut value) };
        assert_eq!(code, PLUG_OK, "the table has no number {}", name);
        value
    }

    pub fn boolean(&self, name: &str) -> bool {
        self.integer(name) != 0
    }

    pub fn duration(&self, name: &str) -> Duration {
        duration(self.integer(name))
    }

    pub fn text(&self, name: &str) -> String {
        let mut value = text("");
        let code = unsafe { (self.host.table().setting_text)(self.raw, text(name), &mut value) };
        assert_eq!(code, PLUG_OK, "the table has no setting {}", name);
        unsafe { string(value) }
    }

    /// The items of a list (their names are empty) or a map.
    pub fn items(&self, name: &str) -> Vec<(String, String)> {
        let mut items = Vec::new();
        let mut item = plug_field { name: text(""), value: text("") };
        unsafe {
            while (self.host.table().setting_item)(self.raw, text(name), items.len() as u64, &mut item) == PLUG_OK {
                items.push((string(item.name), string(item.value)));
            }
        }
        items
    }
}

// ------------------------------------------------------------------------------------------------ Bodies

/// The pull of a source's next piece, to be completed once, from any thread.
///
/// One that is dropped before it is completed breaks the body off, so that the reader does not wait without end.
pub struct Pull {
    host: Host,
    number: plug_pull,
    is_open: bool,
}

impl Pull {
    /// Bytes of the plugin's own, or those of a piece that was kept; none of them are copied.
    pub fn give(mut self, bytes: impl Into<Bytes>) {
        self.is_open = false;
        let bytes = std::mem::ManuallyDrop::new(bytes.into());
        unsafe { (self.host.table().pull_give)(self.host.0, self.number, ptr::read(&bytes.0)) };
    }

    pub fn end(mut self, trailers: &[(String, Vec<u8>)]) {
        self.is_open = false;
        let fields = raw_fields(trailers);
        unsafe { (self.host.table().pull_end)(self.host.0, self.number, fields.as_ptr(), fields.len() as u64) };
    }

    /// Completes the pull with an error, which breaks the body.
    pub fn fail(mut self, code: &str, reason: &str) {
        self.is_open = false;
        unsafe { (self.host.table().pull_fail)(self.host.0, self.number, text(code), text(reason)) };
    }

    /// Completes the pull with the piece that was just pulled, as it is, without a copy.
    pub fn forward(mut self, piece: &Piece<'_>) {
        self.is_open = false;
        unsafe { (self.host.table().pull_forward)(self.host.0, self.number, piece.raw) };
    }
}

impl Drop for Pull {
    fn drop(&mut self) {
        if self.is_open {
            Owed::Pull(self.host, self.number).drop_open();
        }
    }
}

/// Bytes that the kernel keeps until it releases them.
fn owned(bytes: Vec<u8>) -> plug_bytes {
    unsafe extern "C" fn release(context: *mut c_void) {
        drop(Box::from_raw(context as *mut Vec<u8>));
    }
    let kept = Box::new(bytes);
    let (start, count) = (kept.as_ptr() as *const c_void, kept.len() as u64);
    plug_bytes { bytes: start, count, release: Some(release), context: Box::into_raw(kept) as *mut c_void }
}

/// Bytes that are held without a copy for one reader, on any thread, also after the plugin's end.
pub struct Bytes(plug_bytes);

// They do not change, and their release works on any thread.
unsafe impl Send for Bytes {}
unsafe impl Sync for Bytes {}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(owned(bytes))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (bytes, count) = (self.0.bytes as *const c_char, self.0.count);
        unsafe { view(plug_text { bytes, count }).unwrap_or_default() }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            unsafe { release(self.0.context) }
        }
    }
}

/// A body that a plugin makes. Its functions are called on the loop; completing a pull may call `pull` again at once.
pub trait Source: Send + 'static {
    /// Bytes in all, if that is known.
    fn length(&self) -> Option<u64> {
        None
    }
    /// Completes `pull`, now or later, from any thread.
    fn pull(&self, pull: Pull);
    /// Whether it can begin again.
    fn can_rewind(&self) -> bool {
        false
    }
    fn rewind(&self) {}
}

struct ExportedSource {
    host: Host,
    source: Box<dyn Source>,
}

impl ExportedSource {
    unsafe extern "C" fn pull(context: *mut c_void, number: plug_pull) {
        let exported = &*(context as *const ExportedSource);
        let host = exported.host;
        if let Err(what) = guarded(|| exported.source.pull(Pull { host, number, is_open: true })) {
            host.log(Level::Error, &what);
        }
    }

    unsafe extern "C" fn rewind(context: *mut c_void) -> plug_result {
        let exported = &*(context as *const ExportedSource);
        match guarded(|| exported.source.rewind()) {
            Ok(()) => PLUG_OK,
            Err(_) => PLUG_UNSUPPORTED,
        }
    }

    unsafe extern "C" fn release(context: *mut c_void) {
        let exported = Box::from_raw(context as *mut ExportedSource);
        let host = exported.host;
        if let Err(what) = guarded(|| drop(exported)) {
            host.log(Level::Error, &what);
        }
    }
}

/// A piece that was pulled, valid until the closure that receives it returns.
pub struct Piece<'a> {
    host: Host,
    raw: &'a plug_piece_v1,
}

pub enum PieceKind<'a> {
    Bytes(&'a [u8]),
    End,
    Break { code: String, reason: String },
}

impl<'a> Piece<'a> {
    pub fn kind(&self) -> PieceKind<'a> {
        unsafe {
            match self.raw.kind {
                PLUG_PIECE_BYTES => PieceKind::Bytes(view(self.raw.bytes).unwrap_or_default()),
                PLUG_PIECE_END => PieceKind::End,
                _ => PieceKind::Break { code: string(self.raw.code), reason: string(self.raw.reason) },
            }
        }
    }

    /// Keeps the bytes, without a copy, for one more reader beyond the closure that receives the piece.
    pub fn keep(&self) -> Result<Bytes, Error> {
        let mut bytes = plug_bytes { bytes: ptr::null(), count: 0, release: None, context: ptr::null_mut() };
        check("piece_keep", unsafe { (self.host.table().piece_keep)(self.host.0, self.raw, &mut bytes) })?;
        Ok(Bytes(bytes))
    }

    /// A copy of the trailer fields, which come with the body's end.
    pub fn trailers(&self) -> Fields {
        if self.raw.trailers.is_null() {
            return Fields::new();
        }
        Head { host: self.host, raw: self.raw.trailers, life: PhantomData }.fields()
    }
}

/// A body that this value owns, and gives back when it is dropped.
pub struct Body {
    host: Host,
    raw: *mut plug_body,
}

// It is pulled on the loop only; it may be moved and given back on any thread.
unsafe impl Send for Body {}

impl Body {
    fn adopt(host: Host, raw: *mut plug_body) -> Option<Body> {
        if raw.is_null() {
            None
        } else {
            Some(Body { host, raw })
        }
    }

    /// Made of bytes. [any]
    pub fn of_bytes(host: Host, bytes: impl Into<Vec<u8>>) -> Body {
        let raw = unsafe { (host.table().body_of_bytes)(host.0, owned(bytes.into())) };
        Body { host, raw }
    }

    /// Made of a source. [any]
    pub fn of_source(host: Host, source: impl Source) -> Body {
        let length = source.length().unwrap_or(PLUG_LENGTH_UNKNOWN);
        let can_rewind = source.can_rewind();
        let exported = Box::new(ExportedSource { host, source: Box::new(source) });
        let described = plug_source_v1 {
            context: Box::into_raw(exported) as *mut c_void,
            length,
            pull: Some(ExportedSource::pull),
            rewind: if can_rewind { Some(ExportedSource::rewind) } else { None },
            release: Some(ExportedSource::release),
        };
        let raw = unsafe { (host.table().body_of_source)(host.0, &described) };
        Body { host, raw }
    }

    pub fn raw(&self) -> *mut plug_body {
        self.raw
    }

    pub fn length(&self) -> Option<u64> {
        let length = unsafe { (self.host.table().body_length)(self.raw) };
        if length == PLUG_LENGTH_UNKNOWN {
            None
        } else {
            Some(length)
        }
    }

    pub fn can_rewind(&self) -> bool {
        unsafe { (self.host.table().body_can_rewind)(self.raw) == 1 }
    }

    pub fn rewind(&self) -> Result<(), Error> {
        check("body_rewind", unsafe { (self.host.table().body_rewind)(self.raw) })
    }

    /// Calls `pulled` once with the next piece. A [`Pull`] that it has captured breaks off if it panics. [loop]
    pub fn pull(&self, pulled: impl FnOnce(Piece<'_>) + 'static) -> Result<(), Error> {
        type Call = (Host, Box<dyn FnOnce(Piece<'_>)>);
        unsafe extern "C" fn run(context: *mut c_void, piece: *const plug_piece_v1) {
            let (host, pulled) = *Box::from_raw(context as *mut Call);
            if let Err(what) = guarded(|| pulled(Piece { host, raw: &*piece })) {
                host.log(Level::Error, &what);
            }
        }
        let call: Box<Call> = Box::new((self.host, Box::new(pulled)));
        let context = Box::into_raw(call);
        let code = unsafe { (self.host.table().body_pull)(self.raw, context as *mut c_void, Some(run)) };
        if code != PLUG_OK {
            // Refused, so that `run` is not called.
            drop(unsafe { Box::from_raw(context) });
        }
        check("body_pull", code)
    }

    /// Gives up ownership: the kernel then owns the body.
    fn release(self) -> *mut plug_body {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        unsafe { (self.host.table().body_release)(self.raw) }
    }
}

fn raw_body(body: Option<Body>) -> *mut plug_body {
    body.map_or(ptr::null_mut(), Body::release)
}

// ------------------------------------------------------------------------------------------------ Exchanges

/// The head of a request or a response, read and edited in place.
pub struct Head<'a> {
    host: Host,
    raw: *mut plug_head,
    life: PhantomData<&'a mut plug_head>,
}

impl Head<'_> {
    pub fn raw(&self) -> *mut plug_head {
        self.raw
    }

    pub fn method(&self) -> &[u8] {
        unsafe { view((self.host.table().method)(self.raw)).unwrap_or_default() }
    }

    pub fn set_method(&mut self, method: &str) -> Result<(), Error> {
        check("set_method", unsafe { (self.host.table().set_method)(self.raw, text(method)) })
    }

    pub fn url(&self) -> String {
        unsafe { string((self.host.table().url)(self.raw)) }
    }

    pub fn set_url(&mut self, url: &str) -> Result<(), Error> {
        check("set_url", unsafe { (self.host.table().set_url)(self.raw, text(url)) })
    }

    /// The status of a response; 0 for a request.
    pub fn status(&self) -> u32 {
        unsafe { (self.host.table().status)(self.raw) }
    }

    pub fn set_status(&mut self, status: u32) -> Result<(), Error> {
        check("set_status", unsafe { (self.host.table().set_status)(self.raw, status) })
    }

    /// The first field of a name, in any case: bytes as they came.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        unsafe { view((self.host.table().field)(self.raw, text(name))) }
    }

    /// The media type of Content-Type without its parameters, in small letters, such as `application/json`; empty
    /// without the field.
    pub fn media_type(&self) -> String {
        let field = self.field("content-type").unwrap_or_default();
        let kind = field.split(|&byte| byte == b';').next().unwrap_or_default();
        String::from_utf8_lossy(kind).trim().to_ascii_lowercase()
    }

    /// Replaces all of the name.
    pub fn set_field(&mut self, name: &str, value: impl AsRef<[u8]>) -> Result<(), Error> {
        let value = bytes_text(value.as_ref());
        check("set_field", unsafe { (self.host.table().set_field)(self.raw, text(name), value) })
    }

    pub fn add_field(&mut self, name: &str, value: impl AsRef<[u8]>) -> Result<(), Error> {
        let value = bytes_text(value.as_ref());
        check("add_field", unsafe { (self.host.table().add_field)(self.raw, text(name), value) })
    }

    pub fn remove_field(&mut self, name: &str) {
        unsafe { (self.host.table().remove_field)(self.raw, text(name)) };
    }

    /// Never printed, and dropped when a resend goes to another origin.
    pub fn mark_secret(&mut self, name: &str) -> Result<(), Error> {
        check("mark_secret", unsafe { (self.host.table().mark_secret)(self.raw, text(name)) })
    }

    /// Whether the field at this index of `fields()` is secret.
    pub fn is_secret(&self, index: usize) -> bool {
        unsafe { (self.host.table().is_secret)(self.raw, index as u64) == 1 }
    }

    /// A copy of all, in order.
    pub fn fields(&self) -> Fields {
        let mut fields = Fields::new();
        const ROOM: usize = 32;
        let empty = plug_head_field_v1 { name: text(""), value: text(""), flags: 0, reserved: 0 };
        let mut found = [empty; ROOM];
        let mut count = ROOM;
        while count == ROOM {
            let (first, views) = (fields.len() as u64, found.as_mut_ptr());
            count = unsafe { (self.host.table().read_fields)(self.raw, first, views, ROOM as u64) } as usize;
            for field in &found[..count] {
                fields.push(unsafe { (string(field.name), view(field.value).unwrap_or_default().to_vec()) });
            }
        }
        fields
    }
}

// ------------------------------------------------------------------------------------------------ Sub-requests

/// A request of the plugin's own: see [`Host::send`].
pub struct Request {
    pub method: String,
    pub url: String,
    pub fields: Fields,
    /// Names of fields that are secret, as with `mark_secret`.
    pub secrets: Vec<String>,
    /// Attributes for plugins (`cache.mode`); none are inherited.
    pub attributes: Fields,
    /// How it is sent, in the names and words of the configuration's `kernel` (`connectTimeout`, `tls.ca`).
    pub options: Fields,
    pub body: Option<Body>,
    /// None: the kernel's timeout.
    pub timeout: Option<Duration>,
    /// Begins at the first plugin, and not just inside this one.
    pub is_outermost: bool,
    /// Goes on when its exchange ends.
    pub is_detached: bool,
    /// Begins as a copy of the exchange's request without its body; what is given here stands in for that.
    pub is_like_exchange: bool,
}

impl Request {
    /// A request without fields and body that is cancelled with its exchange.
    pub fn new(method: &str, url: &str) -> Request {
        Request {
            method: method.to_string(),
            url: url.to_string(),
            fields: Fields::new(),
            secrets: Vec::new(),
            attributes: Fields::new(),
            options: Fields::new(),
            body: None,
            timeout: None,
            is_outermost: false,
            is_detached: false,
            is_like_exchange: false,
        }
    }

    /// A copy of the exchange's request, as it is when this is sent, without its body.
    pub fn like_exchange() -> Request {
        Request { is_like_exchange: true, ..Request::new("", "") }
    }
}

/// An option that a request itself has.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestOption {
    pub name: String,
    pub value: String,
    /// Such as a proxy with a password.
    pub is_secret: bool,
}

/// Why there is no response, or not all of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub code: String,
    pub reason: String,
}

impl Failure {
    pub fn new(code: &str, reason: &str) -> Failure {
        Failure { code: code.to_string(), reason: reason.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.reason, self.code)
    }
}

impl StdError for Failure {}

/// The outcome of a sub-request, kept until this is dropped.
pub struct SubResponse {
    host: Host,
    raw: *mut plug_subresponse,
}

// It is read on the loop only; it may be moved and dropped on any thread.
unsafe impl Send for SubResponse {}

impl SubResponse {
    fn keep(host: Host, raw: *mut plug_subresponse) -> SubResponse {
        unsafe { (host.table().subresponse_keep)(raw) };
        SubResponse { host, raw }
    }

    /// None if it failed. [loop]
    pub fn head(&self) -> Option<Head<'_>> {
        let raw = unsafe { (self.host.table().subresponse_head)(self.raw) };
        if raw.is_null() {
            return None;
        }
        Some(Head { host: self.host, raw, life: PhantomData })
    }

    /// [loop]
    pub fn failure(&self) -> Option<Failure> {
        let (mut code, mut reason) = (text(""), text(""));
        unsafe {
            if (self.host.table().subresponse_failure)(self.raw, &mut code, &mut reason) != PLUG_OK {
                return None;
            }
            Some(Failure { code: string(code), reason: string(reason) })
        }
    }

    /// How many attempts on the network it made, also if it failed. [loop]
    pub fn attempts(&self) -> u32 {
        unsafe { (self.host.table().subresponse_attempts)(self.raw) }
    }

    /// None if there is no body, or if it was taken before. [loop]
    pub fn take_body(&mut self) -> Option<Body> {
        Body::adopt(self.host, unsafe { (self.host.table().subresponse_take_body)(self.raw) })
    }

    /// Takes the body out and reads it whole, then calls `collected` once. [loop]
    ///
    /// A body of more than `limit` bytes fails with `body.limit`; without a body there are no bytes; a sub-request that
    /// failed gives its error.
    pub fn collect(&mut self, limit: u64, collected: impl FnOnce(Result<Vec<u8>, Failure>) + 'static) {
        if let Some(failure) = self.failure() {
            return collected(Err(failure));
        }
        let body = match self.take_body() {
            Some(body) => body,
            None => return collected(Ok(Vec::new())),
        };
        if body.length().map_or(false, |length| length > limit) {
            return collected(Err(Collection::too_large()));
        }
        Rc::new(Collection {
            body,
            limit,
            bytes: RefCell::new(Vec::new()),
            collected: RefCell::new(Some(Box::new(collected))),
            is_pulling: Cell::new(false),
            is_pulled: Cell::new(false),
        })
        .pull()
    }
}

impl Drop for SubResponse {
    fn drop(&mut self) {
        unsafe { (self.host.table().subresponse_release)(self.raw) }
    }
}

type Collected = Box<dyn FnOnce(Result<Vec<u8>, Failure>)>;

/// Reads a body to its end, or to the first byte beyond the limit. On the loop.
struct Collection {
    body: Body,
    limit: u64,
    bytes: RefCell<Vec<u8>>,
    /// None when it is over.
    collected: RefCell<Option<Collected>>,
    is_pulling: Cell<bool>,
    is_pulled: Cell<bool>,
}

impl Collection {
    fn too_large() -> Failure {
        Failure::new("body.limit", "The response's body is larger than the limit.")
    }

    /// A loop and no recursion: the server chooses how many pieces are there at once, and each would nest a call.
    fn pull(self: Rc<Self>) {
        self.is_pulling.set(true);
        loop {
            self.is_pulled.set(false);
            let this = Rc::clone(&self);
            let asked = self.body.pull(move |piece| {
                this.take(&piece);
                this.is_pulled.set(true);
                if !this.is_pulling.get() && !this.is_over() {
                    this.pull();
                }
            });
            if let Err(error) = asked {
                self.end(Err(Failure::new("plugin.fault", &error.to_string())));
            }
            if !self.is_pulled.get() || self.is_over() {
                break;
            }
        }
        self.is_pulling.set(false);
    }

    fn take(&self, piece: &Piece<'_>) {
        match piece.kind() {
            PieceKind::Bytes(bytes) => {
                let mut all = self.bytes.borrow_mut();
                if bytes.len() as u64 <= self.limit - all.len() as u64 {
                    all.extend_from_slice(bytes);
                } else {
                    drop(all);
                    self.end(Err(Collection::too_large()));
                }
            }
            PieceKind::End => self.end(Ok(self.bytes.take())),
            PieceKind::Break { code, reason } => self.end(Err(Failure { code, reason })),
        }
    }

    fn is_over(&self) -> bool {
        self.collected.borrow().is_none()
    }

    fn end(&self, result: Result<Vec<u8>, Failure>) {
        let collected = self.collected.borrow_mut().take();
        if let Some(collected) = collected {
            collected(result);
        }
    }
}

// ------------------------------------------------------------------------------------------------ Verdicts

/// Why a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    First,
    Woken,
    Deadline,
    Held,
    OverLimit,
}

/// How a turn closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Ended,
    Replaced,
    Resent,
    Failed,
    Cancelled,
}

/// What a hook decides: [`Verdict::NEXT`], or what the functions of [`Exchange`] return.
#[must_use]
pub struct Verdict(plug_verdict);

impl Verdict {
    /// Lets the head pass, and opens a turn.
    pub const NEXT: Verdict = Verdict(PLUG_VERDICT_NEXT);
}

/// What a hook returns. An error is a fault of the plugin, as a panic is.
pub type Hook = Result<Verdict, Box<dyn StdError>>;

/// One request and its outcome, as a hook sees it. On the loop.
pub struct Exchange<'a> {
    host: Host,
    raw: *mut plug_exchange,
    life: PhantomData<&'a mut plug_exchange>,
}

impl Exchange<'_> {
    fn new<'a>(host: Host, raw: *mut plug_exchange) -> Exchange<'a> {
        Exchange { host, raw, life: PhantomData }
    }

    pub fn raw(&self) -> *mut plug_exchange {
        self.raw
    }

    pub fn visit(&self) -> Visit {
        match unsafe { (self.host.table().visit)(self.raw) } {
            PLUG_VISIT_WOKEN => Visit::Woken,
            PLUG_VISIT_DEADLINE => Visit::Deadline,
            PLUG_VISIT_HELD => Visit::Held,
            PLUG_VISIT_OVER_LIMIT => Visit::OverLimit,
            _ => Visit::First,
        }
    }

    /// Valid after the hook too, for `publish` and `send`.
    pub fn id(&self) -> plug_exchange_id {
        unsafe { (self.host.table().exchange_id)(self.raw) }
    }

    /// The id of the plugin that sent the request as a sub-request; `None` for a request of the program.
    pub fn sender(&self) -> Option<String> {
        let sender = unsafe { (self.host.table().sender)(self.raw) };
        if sender.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(sender) })
    }

    /// The options that the request itself has, in the names and words of a sub-request's options.
    pub fn options(&self) -> Vec<RequestOption> {
        let mut options = Vec::new();
        let table = self.host.table();
        let (mut found, mut flags) = (plug_field { name: text(""), value: text("") }, 0);
        while unsafe { (table.option_at)(self.raw, options.len() as u64, &mut found, &mut flags) } == PLUG_OK {
            let (name, value) = unsafe { (string(found.name), string(found.value)) };
            options.push(RequestOption { name, value, is_secret: flags & PLUG_FLAG_SECRET != 0 });
        }
        options
    }

    /// A text that stands for the route of the request and for the trust in who responds, and `PLUG_ROUTE_…` together.
    /// What is stored or shared of one exchange must not be used for one with another text.
    pub fn route(&self) -> (String, raw::plug_route_flags) {
        let mut flags = 0;
        let route = unsafe { (self.host.table().route)(self.raw, &mut flags) };
        (if route.bytes.is_null() { String::new() } else { unsafe { string(route) } }, flags)
    }

    /// A text that stands for the route and TLS options of the request itself, whatever its URL is; empty without any.
    /// A response that may come from another URL is shared only where this text and that of `route` are the same.
    pub fn own_routes(&self) -> String {
        let routes = unsafe { (self.host.table().own_routes)(self.raw) };
        if routes.bytes.is_null() { String::new() } else { unsafe { string(routes) } }
    }

    /// What is known of an attribute that `attribute` returns: `PLUG_ATTRIBUTE_…` together.
    pub fn attribute_flags(&self, name: &str) -> raw::plug_attribute_flags {
        unsafe { (self.host.table().attribute_flags)(self.raw, text(name)) }
    }

    pub fn attempt(&self) -> u32 {
        unsafe { (self.host.table().attempt)(self.raw) }
    }

    pub fn request(&mut self) -> Head<'_> {
        Head { host: self.host, raw: unsafe { (self.host.table().request)(self.raw) }, life: PhantomData }
    }

    /// None before there is one.
    pub fn response(&mut self) -> Option<Head<'_>> {
        let raw = unsafe { (self.host.table().response)(self.raw) };
        if raw.is_null() {
            return None;
        }
        Some(Head { host: self.host, raw, life: PhantomData })
    }

    /// In `on_failure`, and in `on_close` after a failure: code and reason.
    pub fn failure(&self) -> Option<(String, String)> {
        let (mut code, mut reason) = (text(""), text(""));
        unsafe {
            if (self.host.table().failure)(self.raw, &mut code, &mut reason) != PLUG_OK {
                return None;
            }
            Some((string(code), string(reason)))
        }
    }

    pub fn can_resend(&self) -> bool {
        unsafe { (self.host.table().can_resend)(self.raw) == PLUG_OK }
    }

    /// By its whole name (`cache.timeToLive`).
    pub fn attribute(&self, name: &str) -> Option<String> {
        let value = unsafe { (self.host.table().attribute)(self.raw, text(name)) };
        if value.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(value) })
    }

    /// All that `attribute` finds, in the order of their names.
    pub fn attributes(&self) -> Vec<(String, String)> {
        let mut attributes = Vec::new();
        let mut found = plug_field { name: text(""), value: text("") };
        unsafe {
            while (self.host.table().attribute_at)(self.raw, attributes.len() as u64, &mut found) == PLUG_OK {
                attributes.push((string(found.name), string(found.value)));
            }
        }
        attributes
    }

    pub fn set_attribute(&mut self, name: &str, value: &str) -> Result<(), Error> {
        check("set_attribute", unsafe { (self.host.table().set_attribute)(self.raw, text(name), text(value)) })
    }

    /// The URL that a reference means here (RFC 3986 §5); None if it is not valid.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        let url = unsafe { (self.host.table().resolve_url)(self.raw, text(reference)) };
        if url.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(url) })
    }

    /// The plugin's state of this turn, released after its `on_close`; None if it is of another type.
    pub fn turn_state<State: Any + Send>(&mut self) -> Option<&mut State> {
        state_in(unsafe { (self.host.table().turn_state)(self.raw) })
    }

    pub fn set_turn_state<State: Any + Send>(&mut self, state: State) -> Result<(), Error> {
        let set = self.host.table().set_turn_state;
        keep_state(state, |state| check("set_turn_state", unsafe { set(self.raw, state, Some(drop_state)) }))
    }

    /// The plugin's state of this exchange, over all its turns; None if it is of another type.
    pub fn state<State: Any + Send>(&mut self) -> Option<&mut State> {
        state_in(unsafe { (self.host.table().exchange_state)(self.raw) })
    }

    pub fn set_state<State: Any + Send>(&mut self, state: State) -> Result<(), Error> {
        let set = self.host.table().set_exchange_state;
        keep_state(state, |state| check("set_exchange_state", unsafe { set(self.raw, state, Some(drop_state)) }))
    }

    /// Takes the body, to put a source around it and set that with `set_request_body` in the same hook.
    pub fn take_request_body(&mut self) -> Option<Body> {
        Body::adopt(self.host, unsafe { (self.host.table().take_request_body)(self.raw) })
    }

    pub fn set_request_body(&mut self, body: Option<Body>) -> Result<(), Error> {
        check("set_request_body", unsafe { (self.host.table().set_request_body)(self.raw, raw_body(body)) })
    }

    /// Takes the body, to put a source around it and set that with `set_response_body` in the same hook.
    pub fn take_response_body(&mut self) -> Option<Body> {
        Body::adopt(self.host, unsafe { (self.host.table().take_response_body)(self.raw) })
    }

    pub fn set_response_body(&mut self, body: Option<Body>) -> Result<(), Error> {
        check("set_response_body", unsafe { (self.host.table().set_response_body)(self.raw, raw_body(body)) })
    }

    /// Puts a [`Transformer`] around the request's body, in `on_request`; false if there is no body.
    ///
    /// `make` is called once here, and again each time the body begins again. [loop]
    pub fn transform_request_body<T: Transformer>(
        &mut self,
        make: impl Fn() -> T + Send + 'static,
    ) -> Result<bool, Error> {
        let inner = match self.take_request_body() {
            Some(inner) => inner,
            None => return Ok(false),
        };
        let (body, keeps_length) = transformed(inner, make);
        if !keeps_length {
            self.request().remove_field("content-length");
        }
        self.set_request_body(Some(body)).map(|()| true)
    }

    /// Puts a [`Transformer`] around the response's body, in `on_response`; false if there is no body, as of HEAD, 204
    /// and 304.
    ///
    /// `make` is called once here, and again each time the body begins again. [loop]
    pub fn transform_response_body<T: Transformer>(
        &mut self,
        make: impl Fn() -> T + Send + 'static,
    ) -> Result<bool, Error> {
        let inner = match self.take_response_body() {
            Some(inner) => inner,
            None => return Ok(false),
        };
        let (body, keeps_length) = transformed(inner, make);
        if let (false, Some(mut response)) = (keeps_length, self.response()) {
            response.remove_field("content-length");
        }
        self.set_response_body(Some(body)).map(|()| true)
    }

    /// After [`Visit::Held`].
    pub fn held_body(&self) -> &[u8] {
        unsafe { view((self.host.table().held_body)(self.raw)).unwrap_or_default() }
    }

    /// In `on_response`: all bytes of the body where they are in memory already. Otherwise `None`, as without a body.
    pub fn whole_response_body(&self) -> Option<&[u8]> {
        let mut bytes = text("");
        if unsafe { (self.host.table().whole_response_body)(self.raw, &mut bytes) } != 1 {
            return None;
        }
        Some(unsafe { view(bytes).unwrap_or_default() })
    }

    pub fn respond(&mut self, status: u32, fields: &[(String, Vec<u8>)], body: Option<Body>) -> Verdict {
        let fields = raw_fields(fields);
        let count = fields.len() as u64;
        Verdict(unsafe { (self.host.table().respond)(self.raw, status, fields.as_ptr(), count, raw_body(body)) })
    }

    /// Responds with the response of a sub-request, head and body; one that failed fails the exchange.
    pub fn respond_with(&mut self, subresponse: SubResponse) -> Verdict {
        Verdict(unsafe { (self.host.table().respond_with)(self.raw, subresponse.raw) })
    }

    pub fn resend(&mut self, after: Duration) -> Verdict {
        Verdict(unsafe { (self.host.table().resend)(self.raw, nanoseconds(after)) })
    }

    pub fn hold(&mut self, limit: u64) -> Verdict {
        Verdict(unsafe { (self.host.table().hold)(self.raw, limit) })
    }

    /// Parks the exchange. The ticket lets the hook run again, from any thread. Without `within` there is no deadline.
    pub fn wait(&mut self, within: Option<Duration>) -> (Verdict, Ticket) {
        let mut number = 0;
        let within = within.map_or(-1, nanoseconds);
        let verdict = Verdict(unsafe { (self.host.table().wait)(self.raw, within, &mut number) });
        (verdict, Ticket { host: self.host, number })
    }

    pub fn fail(&mut self, code: &str, reason: &str) -> Verdict {
        Verdict(unsafe { (self.host.table().fail)(self.raw, text(code), text(reason)) })
    }
}

/// Boxed twice, because a pointer to `dyn Any` is two pointers wide.
type State = Box<dyn Any + Send>;

fn keep_state(state: impl Any + Send, keep: impl FnOnce(*mut c_void) -> Result<(), Error>) -> Result<(), Error> {
    let state: Box<State> = Box::new(Box::new(state));
    let pointer = Box::into_raw(state);
    keep(pointer as *mut c_void).map_err(|error| {
        // Refused, so that the kernel has not kept it.
        drop(unsafe { Box::from_raw(pointer) });
        error
    })
}

fn state_in<'a, Kind: Any>(pointer: *mut c_void) -> Option<&'a mut Kind> {
    if pointer.is_null() {
        return None;
    }
    unsafe { (*(pointer as *mut State)).downcast_mut() }
}

unsafe extern "C" fn drop_state(pointer: *mut c_void) {
    // Only the panic hook can report it, and has done so.
    let _ = guarded(|| drop(Box::from_raw(pointer as *mut State)));
}

// ------------------------------------------------------------------------------------------------ Transformers

/// Changes one body while it flows: bytes go in piece by piece, and other bytes come out. [loop]
///
/// Needs the memory of one piece and of its output; one whose output can be much larger than the piece has to limit
/// that itself. An error breaks the body off, and what the same call has appended is dropped.
pub trait Transformer: Send + 'static {
    /// Appends the output for the next bytes to `output`, which is empty: any number of bytes, also none.
    fn transform(&mut self, bytes: &[u8], output: &mut Vec<u8>) -> Result<(), Failure>;

    /// The end has come: appends the rest. Not called for a body that breaks off.
    fn finish(&mut self, output: &mut Vec<u8>) -> Result<(), Failure> {
        let _ = output;
        Ok(())
    }

    /// Whether exactly as many bytes come out as go in: then the length and the field Content-Length stay as they are.
    /// Else the length is unknown and the field is removed.
    fn keeps_length(&self) -> bool {
        false
    }
}

/// A body with a transformer around it. Shared with the open pull, which may end after the source was released.
struct Transforming<T, Make> {
    make: Make,
    /// None after it was given back.
    inner: RefCell<Option<Body>>,
    state: RefCell<TransformingState<T>>,
    /// The loop of `run` is running.
    is_running: Cell<bool>,
    /// The pull of the inner body has ended.
    is_pulled: Cell<bool>,
}

struct TransformingState<T> {
    transformer: T,
    open: Option<Pull>,
    output: Vec<u8>,
    /// The inner body has ended, with these trailers, or has broken off.
    end: Option<Result<Fields, Failure>>,
}

impl<T: Transformer, Make: Fn() -> T + 'static> Transforming<T, Make> {
    fn pull(self: &Rc<Self>, pull: Pull) {
        let is_over = {
            let mut state = self.state.borrow_mut();
            state.open = Some(pull);
            state.end.is_some()
        };
        if is_over {
            self.complete();
        } else {
            self.run();
        }
    }

    fn is_ready(&self) -> bool {
        let state = self.state.borrow();
        !state.output.is_empty() || state.end.is_some()
    }

    /// Pulls until there is output for the open pull. A loop and no recursion: pieces that are there at once would nest
    /// calls.
    fn run(self: &Rc<Self>) {
        self.is_running.set(true);
        loop {
            self.is_pulled.set(false);
            let this = Rc::clone(self);
            if let Some(inner) = &*self.inner.borrow() {
                let asked = inner.pull(move |piece| this.pulled(&piece));
                if let Err(error) = asked {
                    self.break_off(Failure::new("plugin.fault", &error.to_string()));
                }
            }
            if !self.is_pulled.get() || self.is_ready() {
                break;
            }
        }
        self.is_running.set(false);
        if self.is_pulled.get() {
            self.complete();
        }
    }

    fn pulled(self: &Rc<Self>, piece: &Piece<'_>) {
        // The body is being given back while a pull is open: this is its break.
        if self.inner.try_borrow().map_or(false, |inner| inner.is_none()) {
            return;
        }
        self.take(piece);
        self.is_pulled.set(true);
        if self.is_running.get() {
            return;
        }
        if self.is_ready() {
            self.complete();
        } else {
            self.run();
        }
    }

    fn take(&self, piece: &Piece<'_>) {
        let mut state = self.state.borrow_mut();
        let TransformingState { transformer, output, end, .. } = &mut *state;
        let result = guarded(|| match piece.kind() {
            PieceKind::Bytes(bytes) if bytes.is_empty() => Ok(()),
            PieceKind::Bytes(bytes) => transformer.transform(bytes, output),
            PieceKind::End => transformer.finish(output).map(|()| *end = Some(Ok(piece.trailers()))),
            PieceKind::Break { code, reason } => Err(Failure { code, reason }),
        });
        drop(state);
        match result {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => self.break_off(failure),
            Err(panic) => self.break_off(Failure::new("plugin.fault", &panic)),
        }
    }

    fn break_off(&self, failure: Failure) {
        let mut state = self.state.borrow_mut();
        state.output.clear();
        state.end = Some(Err(failure));
        self.is_pulled.set(true);
    }

    /// The kernel may pull again within this, so nothing follows the completion.
    fn complete(&self) {
        let mut state = self.state.borrow_mut();
        let pull = match state.open.take() {
            Some(pull) => pull,
            None => return,
        };
        let output = std::mem::take(&mut state.output);
        let end = state.end.clone();
        drop(state);
        match end {
            _ if !output.is_empty() => pull.give(output),
            Some(Err(failure)) => pull.fail(&failure.code, &failure.reason),
            Some(Ok(trailers)) => pull.end(&trailers),
            None => {}
        }
    }
}

struct TransformedSource<T: Transformer, Make: Fn() -> T + Send + 'static>(Rc<Transforming<T, Make>>);

// The kernel calls a source that a hook made on the loop only, its release and its pulls' outcomes included.
unsafe impl<T: Transformer, Make: Fn() -> T + Send + 'static> Send for TransformedSource<T, Make> {}

impl<T: Transformer, Make: Fn() -> T + Send + 'static> Source for TransformedSource<T, Make> {
    fn length(&self) -> Option<u64> {
        if !self.0.state.borrow().transformer.keeps_length() {
            return None;
        }
        self.0.inner.borrow().as_ref().and_then(Body::length)
    }

    fn pull(&self, pull: Pull) {
        self.0.pull(pull)
    }

    fn can_rewind(&self) -> bool {
        self.0.inner.borrow().as_ref().map_or(false, Body::can_rewind)
    }

    fn rewind(&self) {
        let rewound = self.0.inner.borrow().as_ref().map_or(Ok(()), Body::rewind);
        let transformer = (self.0.make)();
        let mut state = self.0.state.borrow_mut();
        state.transformer = transformer;
        state.output.clear();
        state.end = rewound.err().map(|error| Err(Failure::new("body.rewind", &error.to_string())));
        self.0.is_running.set(false);
    }
}

impl<T: Transformer, Make: Fn() -> T + Send + 'static> Drop for TransformedSource<T, Make> {
    fn drop(&mut self) {
        // Taken out first: an open pull gets its break while the body is given back.
        let inner = self.0.inner.borrow_mut().take();
        drop(inner);
        drop(self.0.state.borrow_mut().open.take());
    }
}

fn transformed<T: Transformer>(inner: Body, make: impl Fn() -> T + Send + 'static) -> (Body, bool) {
    let (host, transformer) = (inner.host, make());
    let keeps_length = transformer.keeps_length();
    let state = TransformingState { transformer, open: None, output: Vec::new(), end: None };
    let body = Transforming {
        make,
        inner: RefCell::new(Some(inner)),
        state: RefCell::new(state),
        is_running: Cell::new(false),
        is_pulled: Cell::new(false),
    };
    (Body::of_source(host, TransformedSource(Rc::new(body))), keeps_length)
}

/// A fact.
pub struct Event<'a> {
    host: Host,
    raw: &'a plug_event,
}

impl Event<'_> {
    pub fn id(&self) -> String {
        unsafe { string((self.host.table().event_id)(self.raw)) }
    }

    pub fn text(&self, name: &str) -> Option<String> {
        let value = unsafe { (self.host.table().event_text)(self.raw, text(name)) };
        if value.bytes.is_null() {
            return None;
        }
        Some(unsafe { string(value) })
    }

    pub fn integer(&self, name: &str) -> Option<i64> {
        let mut value = 0;
        let code = unsafe { (self.host.table().event_integer)(self.raw, text(name), &mut value) };
        if code == PLUG_OK {
            Some(value)
        } else {
            None
        }
    }

    /// All details in their order; numbers are written in decimal digits.
    pub fn details(&self) -> Vec<(String, String)> {
        let mut details = Vec::new();
        let mut found = plug_field { name: text(""), value: text("") };
        unsafe {
            while (self.host.table().event_detail_at)(self.raw, details.len() as u64, &mut found) == PLUG_OK {
                details.push((string(found.name), string(found.value)));
            }
        }
        details
    }

    /// Calls `look` with the head that the event is about (`interim`, `headReceived`). It cannot be edited.
    pub fn head<Seen>(&self, look: impl FnOnce(&Head<'_>) -> Seen) -> Option<Seen> {
        let raw = unsafe { (self.host.table().event_head)(self.raw) };
        if raw.is_null() {
            return None;
        }
        Some(look(&Head { host: self.host, raw: raw as *mut plug_head, life: PhantomData }))
    }
}

/// The reply of a command, to be given once, from any thread. One that is dropped without a result fails the command.
pub struct Reply {
    host: Host,
    number: plug_reply,
    is_open: bool,
}

impl Reply {
    /// An argument of the command by its name, until `command` returns: an integer, or a bool (0 or 1); None for others
    /// and without it.
    pub fn argument_integer(&self, name: &str) -> Option<i64> {
        let mut value = 0;
        let code = unsafe { (self.host.table().argument_integer)(self.host.0, self.number, text(name), &mut value) };
        if code == PLUG_OK {
            Some(value)
        } else {
            None
        }
    }

    /// An argument in the same way: a text as it is, others as JSON; None without it.
    pub fn argument_text(&self, name: &str) -> Option<String> {
        let mut value = text("");
        let code = unsafe { (self.host.table().argument_text)(self.host.0, self.number, text(name), &mut value) };
        if code == PLUG_OK {
            Some(unsafe { string(value) })
        } else {
            None
        }
    }

    /// The items of an array (their names are empty) or an object, in the same way.
    pub fn argument_items(&self, name: &str) -> Vec<(String, String)> {
        let mut items = Vec::new();
        let mut item = plug_field { name: text(""), value: text("") };
        let read = self.host.table().argument_item;
        unsafe {
            while read(self.host.0, self.number, text(name), items.len() as u64, &mut item) == PLUG_OK {
                items.push((string(item.name), string(item.value)));
            }
        }
        items
    }

    pub fn json(mut self, json: &str) {
        self.is_open = false;
        unsafe { (self.host.table().reply_json)(self.host.0, self.number, text(json)) };
    }

    pub fn body(mut self, body: Body) {
        self.is_open = false;
        unsafe { (self.host.table().reply_body)(self.host.0, self.number, body.release()) };
    }

    pub fn fail(mut self, code: &str, reason: &str) {
        self.is_open = false;
        unsafe { (self.host.table().reply_fail)(self.host.0, self.number, text(code), text(reason)) };
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if self.is_open {
            Owed::Reply(self.host, self.number).drop_open();
        }
    }
}

// ------------------------------------------------------------------------------------------------ The plugin

/// A plugin: see the life of an exchange in plugboard.h.
///
/// One instance serves all exchanges, on all loops. Hooks run on the loop and must not block it; only those that
/// `export!` lists are called.
pub trait Plugin: Send + Sync + Sized + 'static {
    /// Makes the instance, or says why there is none. Of the host, only log, clocks, random, counters and the data
    /// directory work here.
    fn create(host: Host, settings: &Settings<'_>) -> Result<Self, String>;

    /// Checks together the attributes that the configuration gives to requests to one origin, under their whole names
    /// (`ID.name`). An error says what is wrong and refuses the configuration; it must hold no secrets.
    ///
    /// Called after `create` and before `start`, once for each origin with attributes of this plugin, unless the
    /// configuration switches the plugin off for that origin.
    fn check(&self, _attributes: &[(String, String)]) -> Result<(), String> {
        Ok(())
    }

    /// All plugins are created, and all functions of the host work.
    fn start(&self) -> Result<(), String> {
        Ok(())
    }

    /// The table of a service that `export!` lists under `provides`: its id says what it is. Valid as long as the
    /// plugin. Called once for each after `start`; null ends the start.
    fn service(&self, _id: &str) -> *const c_void {
        ptr::null()
    }

    /// No exchange will come any more. Not on the loop; may block for up to `within`.
    fn stop(&self, _within: Duration) {}

    fn on_request(&self, _exchange: &mut Exchange<'_>) -> Hook {
        Ok(Verdict::NEXT)
    }

    fn on_response(&self, _exchange: &mut Exchange<'_>) -> Hook {
        Ok(Verdict::NEXT)
    }

    fn on_failure(&self, _exchange: &mut Exchange<'_>) -> Hook {
        Ok(Verdict::NEXT)
    }

    /// Called exactly once for each turn that was opened, on every path.
    fn on_close(&self, _exchange: &mut Exchange<'_>, _outcome: Outcome) {}

    /// Called with a fact of an exchange, or of the kernel (None).
    fn on_event(&self, _event: &Event<'_>, _exchange: Option<&mut Exchange<'_>>) {}

    /// Called for a command of the table, with a JSON object. Not on the loop; may block. Give the result once, now or
    /// later.
    fn command(&self, _name: &str, _arguments: &str, reply: Reply) {
        reply.fail("command.failed", "The plugin lists this command but has no function for it.");
    }
}

/// A row of the table of settings or attributes.
#[repr(transparent)]
pub struct OptionDefinition(plug_option_v1);

// It is constant and points at constants.
unsafe impl Sync for OptionDefinition {}

impl OptionDefinition {
    /// The type is one of `raw::PLUG_TYPE_BOOL` to `raw::PLUG_TYPE_MAP`; the default is as a configuration would write
    /// it.
    pub const fn new(
        kind: plug_option_type,
        name: &'static str,
        fallback: &'static str,
        documentation: &'static str,
    ) -> OptionDefinition {
        OptionDefinition(plug_option_v1 {
            name: text(name),
            r#type: kind,
            flags: 0,
            fallback: text(fallback),
            minimum: 0,
            maximum: 0,
            choices: plug_text { bytes: ptr::null(), count: 0 },
            documentation: text(documentation),
        })
    }

    pub const fn text(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_TEXT, name, fallback, documentation)
    }

    pub const fn integer(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_INTEGER, name, fallback, documentation)
    }

    pub const fn boolean(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_BOOL, name, fallback, documentation)
    }

    pub const fn duration(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_DURATION, name, fallback, documentation)
    }

    pub const fn size(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_SIZE, name, fallback, documentation)
    }

    /// A list of texts; the default is a JSON array.
    pub const fn list(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_LIST, name, fallback, documentation)
    }

    /// A map of texts to texts; the default is a JSON object.
    pub const fn map(name: &'static str, fallback: &'static str, documentation: &'static str) -> OptionDefinition {
        OptionDefinition::new(PLUG_TYPE_MAP, name, fallback, documentation)
    }

    /// Bounds of a number, of a duration in nanoseconds, of a size; of a text's bytes, of a list's or map's count. Both
    /// 0: no bounds.
    pub const fn bounds(self, minimum: i64, maximum: i64) -> OptionDefinition {
        OptionDefinition(plug_option_v1 { minimum, maximum, ..self.0 })
    }

    /// The words that are allowed, separated by blanks.
    pub const fn choices(self, words: &'static str) -> OptionDefinition {
        OptionDefinition(plug_option_v1 { choices: text(words), ..self.0 })
    }

    /// Never printed.
    pub const fn secret(self) -> OptionDefinition {
        OptionDefinition(plug_option_v1 { flags: self.0.flags | PLUG_FLAG_SECRET, ..self.0 })
    }

    /// The configuration must give it.
    pub const fn required(self) -> OptionDefinition {
        OptionDefinition(plug_option_v1 { flags: self.0.flags | PLUG_FLAG_REQUIRED, ..self.0 })
    }
}

/// A row of the table of commands.
#[repr(transparent)]
pub struct CommandDefinition(plug_command_v1);

// It is constant and points at constants.
unsafe impl Sync for CommandDefinition {}

impl CommandDefinition {
    pub const fn new(name: &'static str, arguments: &'static str, documentation: &'static str) -> CommandDefinition {
        CommandDefinition(plug_command_v1 {
            name: text(name),
            arguments: text(arguments),
            documentation: text(documentation),
            flags: 0,
        })
    }

    /// The command needs nothing that the plugin does by itself: see `Host::is_quiet`.
    pub const fn quiet(self) -> CommandDefinition {
        CommandDefinition(plug_command_v1 { flags: PLUG_COMMAND_QUIET, ..self.0 })
    }
}

/// An id in a list of the descriptor.
#[repr(transparent)]
pub struct Id(plug_text);

// It is constant and points at constants.
unsafe impl Sync for Id {}

impl Id {
    pub const fn new(id: &'static str) -> Id {
        Id(text(id))
    }
}

/// What `export!` makes of its arguments.
pub struct Manifest {
    /// `plugboard/1 ID VERSION` and NUL.
    pub metadata: *const u8,
    pub id_count: usize,
    pub version_count: usize,
    pub documentation: &'static str,
    pub priority: i32,
    pub hooks: plug_hooks,
    pub settings: &'static [OptionDefinition],
    pub attributes: &'static [OptionDefinition],
    pub commands: &'static [CommandDefinition],
    pub events: &'static [Id],
    pub before: &'static [Id],
    pub after: &'static [Id],
    pub provides: &'static [Id],
    pub needs: &'static [Id],
}

/// The descriptor of a plugin: constant, as long as the process lives.
pub struct Descriptor(plug_plugin_v1);

// It is constant and points at constants.
unsafe impl Sync for Descriptor {}

impl Descriptor {
    const PREFIX: usize = "plugboard/1 ".len();

    /// Id and version are taken from the metadata, so that both agree, and the linker keeps the section.
    ///
    /// # Safety
    /// `metadata` is static, and has the form that `Metadata` describes.
    pub const unsafe fn new<P: Plugin>(manifest: Manifest) -> Descriptor {
        let id = manifest.metadata.add(Descriptor::PREFIX);
        let version = id.add(manifest.id_count + 1);
        Descriptor(plug_plugin_v1 {
            abi_revision: PLUG_ABI_REVISION,
            hooks: manifest.hooks,
            id: plug_text { bytes: id as *const c_char, count: manifest.id_count as u64 },
            version: plug_text { bytes: version as *const c_char, count: manifest.version_count as u64 },
            documentation: text(manifest.documentation),
            priority: manifest.priority,
            reserved: 0,
            before: manifest.before.as_ptr() as *const plug_text,
            before_count: manifest.before.len() as u64,
            after: manifest.after.as_ptr() as *const plug_text,
            after_count: manifest.after.len() as u64,
            events: manifest.events.as_ptr() as *const plug_text,
            event_count: manifest.events.len() as u64,
            settings: manifest.settings.as_ptr() as *const plug_option_v1,
            setting_count: manifest.settings.len() as u64,
            attributes: manifest.attributes.as_ptr() as *const plug_option_v1,
            attribute_count: manifest.attributes.len() as u64,
            commands: manifest.commands.as_ptr() as *const plug_command_v1,
            command_count: manifest.commands.len() as u64,
            provides: manifest.provides.as_ptr() as *const plug_text,
            provide_count: manifest.provides.len() as u64,
            needs: manifest.needs.as_ptr() as *const plug_text,
            need_count: manifest.needs.len() as u64,
            context: ptr::null_mut(),
            create: Some(Instance::<P>::create),
            check: Some(Instance::<P>::check),
            start: Some(Instance::<P>::start),
            service: Some(Instance::<P>::service),
            stop: Some(Instance::<P>::stop),
            destroy: Some(Instance::<P>::destroy),
            on_request: Some(Instance::<P>::on_request),
            on_response: Some(Instance::<P>::on_response),
            on_failure: Some(Instance::<P>::on_failure),
            on_close: Some(Instance::<P>::on_close),
            on_event: Some(Instance::<P>::on_event),
            command: Some(Instance::<P>::command),
            extension: None,
        })
    }

    pub fn raw(&'static self) -> *const plug_plugin_v1 {
        &self.0
    }
}

/// What `self` points at in the table of functions.
struct Instance<P> {
    host: Host,
    plugin: P,
}

impl<P: Plugin> Instance<P> {
    unsafe fn of<'a>(context: *mut c_void) -> &'a Instance<P> {
        &*(context as *const Instance<P>)
    }

    unsafe extern "C" fn create(raw: *const plug_host_v1, settings: *const plug_settings) -> *mut c_void {
        let host = Host(raw);
        let settings = Settings { host, raw: settings, life: PhantomData };
        match guarded(|| P::create(host, &settings)).and_then(|created| created) {
            Ok(plugin) => Box::into_raw(Box::new(Instance { host, plugin })) as *mut c_void,
            Err(what) => {
                (host.table().refuse)(raw, text(&what));
                ptr::null_mut()
            }
        }
    }

    unsafe extern "C" fn check(context: *mut c_void, attributes: *const plug_field, count: u64) -> plug_result {
        let instance = Self::of(context);
        let checked = guarded(|| {
            let section: Vec<_> = (0..count as usize)
                .map(|index| &*attributes.add(index))
                .map(|field| (string(field.name), string(field.value)))
                .collect();
            instance.plugin.check(&section)
        });
        match checked.and_then(|checked| checked) {
            Ok(()) => PLUG_OK,
            Err(what) => {
                (instance.host.table().refuse)(instance.host.0, text(&what));
                PLUG_BAD_ARGUMENT
            }
        }
    }

    unsafe extern "C" fn start(context: *mut c_void) -> plug_result {
        let instance = Self::of(context);
        match guarded(|| instance.plugin.start()).and_then(|started| started) {
            Ok(()) => PLUG_OK,
            Err(what) => {
                (instance.host.table().refuse)(instance.host.0, text(&what));
                PLUG_UNSUPPORTED
            }
        }
    }

    unsafe extern "C" fn service(context: *mut c_void, id: plug_text) -> *const c_void {
        let instance = Self::of(context);
        guarded(|| instance.plugin.service(&string(id))).unwrap_or_else(|what| {
            instance.host.log(Level::Error, &what);
            ptr::null()
        })
    }

    unsafe extern "C" fn stop(context: *mut c_void, within: i64) {
        Self::watch(context, |instance| instance.plugin.stop(duration(within)));
    }

    unsafe extern "C" fn destroy(context: *mut c_void) {
        let instance = Box::from_raw(context as *mut Instance<P>);
        let host = instance.host;
        let timers = Pending::take_all(host);
        if let Err(what) = guarded(|| drop((timers, instance))) {
            host.log(Level::Error, &what);
        }
    }

    unsafe fn steer(
        context: *mut c_void,
        exchange: *mut plug_exchange,
        hook: impl FnOnce(&P, &mut Exchange<'_>) -> Hook,
    ) -> plug_verdict {
        let instance = Self::of(context);
        let decided = guarded(|| {
            hook(&instance.plugin, &mut Exchange::new(instance.host, exchange)).map_err(|error| error.to_string())
        });
        match decided.and_then(|verdict| verdict) {
            Ok(verdict) => verdict.0,
            Err(what) => (instance.host.table().fault)(exchange, text(&what)),
        }
    }

    unsafe fn watch(context: *mut c_void, watch: impl FnOnce(&Instance<P>)) {
        let instance = Self::of(context);
        if let Err(what) = guarded(|| watch(instance)) {
            instance.host.log(Level::Error, &what);
        }
    }

    unsafe extern "C" fn on_request(context: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict {
        Self::steer(context, exchange, |plugin, exchange| plugin.on_request(exchange))
    }

    unsafe extern "C" fn on_response(context: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict {
        Self::steer(context, exchange, |plugin, exchange| plugin.on_response(exchange))
    }

    unsafe extern "C" fn on_failure(context: *mut c_void, exchange: *mut plug_exchange) -> plug_verdict {
        Self::steer(context, exchange, |plugin, exchange| plugin.on_failure(exchange))
    }

    unsafe extern "C" fn on_close(context: *mut c_void, exchange: *mut plug_exchange, outcome: plug_close) {
        let outcome = match outcome {
            PLUG_CLOSE_REPLACED => Outcome::Replaced,
            PLUG_CLOSE_RESENT => Outcome::Resent,
            PLUG_CLOSE_FAILED => Outcome::Failed,
            PLUG_CLOSE_CANCELLED => Outcome::Cancelled,
            _ => Outcome::Ended,
        };
        Self::watch(context, |instance| instance.plugin.on_close(&mut Exchange::new(instance.host, exchange), outcome));
    }

    unsafe extern "C" fn on_event(context: *mut c_void, exchange: *mut plug_exchange, event: *const plug_event) {
        Self::watch(context, |instance| {
            let event = Event { host: instance.host, raw: &*event };
            let mut seen = Exchange::new(instance.host, exchange);
            instance.plugin.on_event(&event, if exchange.is_null() { None } else { Some(&mut seen) });
        });
    }

    unsafe extern "C" fn command(context: *mut c_void, name: plug_text, arguments: plug_text, number: plug_reply) {
        Self::watch(context, |instance| {
            let reply = Reply { host: instance.host, number, is_open: true };
            instance.plugin.command(&string(name), &string(arguments), reply)
        });
    }
}

/// Defines the one exported function, the descriptor, and what can be read from the file without running it.
macro_rules! export {
    (
        plugin: $plugin:ty, entry: $entry:ident,
        id: $id:literal, version: $version:literal, documentation: $documentation:literal,
        priority: $priority:expr, hooks: $hooks:expr
        $(, settings: [$($setting:expr),* $(,)?])?
        $(, attributes: [$($attribute:expr),* $(,)?])?
        $(, commands: [$($command:expr),* $(,)?])?
        $(, events: [$($event:literal),* $(,)?])?
        $(, before: [$($before:literal),* $(,)?])?
        $(, after: [$($after:literal),* $(,)?])?
        $(, provides: [$($provided:literal),* $(,)?])?
        $(, needs: [$($need:literal),* $(,)?])?
        $(,)?
    ) => {
        const PLUGBOARD_TEXT: &str = concat!("plugboard/1 ", $id, " ", $version, "\0");

        #[used]
        #[link_section = "plugboard"]
        static PLUGBOARD_METADATA: [u8; PLUGBOARD_TEXT.len()] =
            unsafe { *(PLUGBOARD_TEXT.as_ptr() as *const [u8; PLUGBOARD_TEXT.len()]) };

        static PLUGBOARD_DESCRIPTOR: $crate::plugboard::Descriptor = unsafe {
            $crate::plugboard::Descriptor::new::<$plugin>($crate::plugboard::Manifest {
                metadata: &PLUGBOARD_METADATA as *const _ as *const u8,
                id_count: $id.len(),
                version_count: $version.len(),
                documentation: $documentation,
                priority: $priority,
                hooks: $hooks,
                settings: &[$($($setting),*)?],
                attributes: &[$($($attribute),*)?],
                commands: &[$($($command),*)?],
                events: &[$($($crate::plugboard::Id::new($event)),*)?],
                before: &[$($($crate::plugboard::Id::new($before)),*)?],
                after: &[$($($crate::plugboard::Id::new($after)),*)?],
                provides: &[$($($crate::plugboard::Id::new($provided)),*)?],
                needs: &[$($($crate::plugboard::Id::new($need)),*)?],
            })
        };

        /// The function that a kernel looks up.
        #[no_mangle]
        pub extern "C" fn $entry() -> *const $crate::plugboard::raw::plug_plugin_v1 {
            PLUGBOARD_DESCRIPTOR.raw()
        }
    };
}
pub(crate) use export;
