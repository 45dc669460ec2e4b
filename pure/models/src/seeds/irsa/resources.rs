//! The resources of Irsa, in the cluster and in AWS: one record each, as in the specification.
//!
//! `irsa.saName` and `irsa.stmt` are constants and are not kept. Of a copy of them a bit says whether
//! it is there or `NULL`.

use crate::seeds::packed::{Bits, codes};

codes! {
    /// The status of a resource.
    Status {
        NULL = 0 "NULL",
        PENDING = 1 "pending",
    }
}

codes! {
    /// A name that AWS gave.
    Arn {
        NULL = 0 "NULL",
        POLICY = 1 "policyARN",
        ROLE = 2 "roleARN",
    }
}

const ST: Bits = Bits::new(0, 2);

/// The iamroleserviceaccount.
#[derive(Clone, Copy)]
pub(super) struct Irsa {
    pub(super) st: Status,
    pub(super) role_arn: Arn,
    pub(super) policy_arn: Arn,
}

impl Irsa {
    pub(super) const WIDTH: u32 = 6;
    const ROLE_ARN: Bits = ST.then(2);
    const POLICY_ARN: Bits = Irsa::ROLE_ARN.then(2);

    #[inline]
    pub(super) fn unpack(bits: u64) -> Irsa {
        Irsa {
            st: Status::from_bits(ST.get(bits)),
            role_arn: Arn::from_bits(Irsa::ROLE_ARN.get(bits)),
            policy_arn: Arn::from_bits(Irsa::POLICY_ARN.get(bits)),
        }
    }
}

/// The policy in the cluster.
#[derive(Clone, Copy)]
pub(super) struct Policy {
    pub(super) st: Status,
    pub(super) stmt: bool,
    pub(super) aws_policy_arn: Arn,
}

impl Policy {
    pub(super) const WIDTH: u32 = 5;
    const STMT: Bits = ST.then(1);
    const AWS_POLICY_ARN: Bits = Policy::STMT.then(2);

    #[inline]
    pub(super) fn unpack(bits: u64) -> Policy {
        Policy {
            st: Status::from_bits(ST.get(bits)),
            stmt: Policy::STMT.is_set(bits),
            aws_policy_arn: Arn::from_bits(Policy::AWS_POLICY_ARN.get(bits)),
        }
    }

    #[inline]
    pub(super) fn pack(self) -> u64 {
        let mut bits = 0;
        ST.set(&mut bits, self.st.bits());
        Policy::STMT.set(&mut bits, self.stmt.into());
        Policy::AWS_POLICY_ARN.set(&mut bits, self.aws_policy_arn.bits());
        bits
    }

    /// `policyComplete`.
    #[inline]
    pub(super) fn is_complete(self) -> bool {
        self.st != Status::NULL && self.stmt && self.aws_policy_arn != Arn::NULL
    }
}

/// The role in the cluster.
#[derive(Clone, Copy)]
pub(super) struct Role {
    pub(super) st: Status,
    pub(super) sa_name: bool,
    pub(super) role_arn: Arn,
    pub(super) policy_arn: Arn,
    pub(super) policies_attached: bool,
}

impl Role {
    pub(super) const WIDTH: u32 = 8;
    const SA_NAME: Bits = ST.then(1);
    const ROLE_ARN: Bits = Role::SA_NAME.then(2);
    const POLICY_ARN: Bits = Role::ROLE_ARN.then(2);
    const POLICIES_ATTACHED: Bits = Role::POLICY_ARN.then(1);

    #[inline]
    pub(super) fn unpack(bits: u64) -> Role {
        Role {
            st: Status::from_bits(ST.get(bits)),
            sa_name: Role::SA_NAME.is_set(bits),
            role_arn: Arn::from_bits(Role::ROLE_ARN.get(bits)),
            policy_arn: Arn::from_bits(Role::POLICY_ARN.get(bits)),
            policies_attached: Role::POLICIES_ATTACHED.is_set(bits),
        }
    }

    #[inline]
    pub(super) fn pack(self) -> u64 {
        let mut bits = 0;
        ST.set(&mut bits, self.st.bits());
        Role::SA_NAME.set(&mut bits, self.sa_name.into());
        Role::ROLE_ARN.set(&mut bits, self.role_arn.bits());
        Role::POLICY_ARN.set(&mut bits, self.policy_arn.bits());
        Role::POLICIES_ATTACHED.set(&mut bits, self.policies_attached.into());
        bits
    }

    /// `roleComplete`.
    #[inline]
    pub(super) fn is_complete(self) -> bool {
        self.st != Status::NULL
            && self.sa_name
            && self.role_arn != Arn::NULL
            && self.policy_arn != Arn::NULL
            && self.policies_attached
    }
}

/// The service account.
#[derive(Clone, Copy)]
pub(super) struct Sa {
    pub(super) st: Status,
    pub(super) name: bool,
    pub(super) role_arn: Arn,
}

impl Sa {
    pub(super) const WIDTH: u32 = 5;
    const NAME: Bits = ST.then(1);
    const ROLE_ARN: Bits = Sa::NAME.then(2);

    #[inline]
    pub(super) fn unpack(bits: u64) -> Sa {
        Sa {
            st: Status::from_bits(ST.get(bits)),
            name: Sa::NAME.is_set(bits),
            role_arn: Arn::from_bits(Sa::ROLE_ARN.get(bits)),
        }
    }

    #[inline]
    pub(super) fn pack(self) -> u64 {
        let mut bits = 0;
        ST.set(&mut bits, self.st.bits());
        Sa::NAME.set(&mut bits, self.name.into());
        Sa::ROLE_ARN.set(&mut bits, self.role_arn.bits());
        bits
    }

    /// `saComplete`.
    #[inline]
    pub(super) fn is_complete(self) -> bool {
        self.st != Status::NULL && self.name && self.role_arn != Arn::NULL
    }
}

/// The role in AWS.
#[derive(Clone, Copy)]
pub(super) struct AwsRole {
    pub(super) arn: Arn,
    pub(super) attached_policy: Arn,
}

impl AwsRole {
    pub(super) const WIDTH: u32 = 4;
    const ARN: Bits = Bits::new(0, 2);
    const ATTACHED_POLICY: Bits = AwsRole::ARN.then(2);

    #[inline]
    pub(super) fn unpack(bits: u64) -> AwsRole {
        AwsRole {
            arn: Arn::from_bits(AwsRole::ARN.get(bits)),
            attached_policy: Arn::from_bits(AwsRole::ATTACHED_POLICY.get(bits)),
        }
    }

    #[inline]
    pub(super) fn pack(self) -> u64 {
        let mut bits = 0;
        AwsRole::ARN.set(&mut bits, self.arn.bits());
        AwsRole::ATTACHED_POLICY.set(&mut bits, self.attached_policy.bits());
        bits
    }
}
